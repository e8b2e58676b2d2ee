package wire

// skim reads an object as wire and workload do, in one pass over its text, and takes nothing apart that judging does
// not need: most of an object is never looked at. False: the text is not of the usual form, and they must be asked.
func (o *Object) skim(raw []byte, custom bool) bool {
	s := &scanner{text: raw}
	o.Replicas = 1
	s.object(func(key []byte) {
		switch string(key) {
		case "metadata":
			s.object(func(key []byte) { o.skimMetadata(s, key) })
		case "spec":
			if !custom {
				s.object(func(key []byte) {
					if string(key) == "replicas" {
						o.Replicas = int(s.int(int64(o.Replicas)))
					}
				})
			}
		case "status":
			if !custom {
				s.object(func(key []byte) { o.skimStatus(s, key) })
			}
		}
	})
	return s.done()
}

func (o *Object) skimMetadata(s *scanner, key []byte) {
	switch string(key) {
	case "uid":
		if uid := s.plain(); o.UID == "" {
			o.UID = string(uid)
		}
	case "resourceVersion":
		o.ResourceVersion = s.string()
	case "generation":
		o.Generation = s.int(o.Generation)
	case "deletionTimestamp":
		s.plain()
		o.Deleting = true
	case "finalizers":
		o.Finalizers = s.strings()
	case "ownerReferences":
		s.array(func() { o.skimOwner(s) })
	}
}

func (o *Object) skimOwner(s *scanner) {
	var uid []byte
	var controller bool
	s.object(func(key []byte) {
		switch string(key) {
		case "uid":
			uid = s.plain()
		case "controller":
			controller = s.bool()
		}
	})
	if controller {
		o.Controller = string(uid)
	}
}

func (o *Object) skimStatus(s *scanner, key []byte) {
	switch string(key) {
	case "observedGeneration":
		o.ObservedGeneration = s.int(o.ObservedGeneration)
	case "replicas":
		o.StatusReplicas = int(s.int(int64(o.StatusReplicas)))
	case "readyReplicas":
		o.ReadyReplicas = int(s.int(int64(o.ReadyReplicas)))
	case "updatedReplicas":
		o.UpdatedReplicas = int(s.int(int64(o.UpdatedReplicas)))
	case "phase":
		o.Phase = s.string()
	}
}

func (s *scanner) condition() (c Condition) {
	s.object(func(key []byte) {
		switch string(key) {
		case "type":
			c.Type = s.string()
		case "status":
			c.Status = s.string()
		case "reason":
			c.Reason = s.string()
		case "message":
			c.Message = s.string()
		case "observedGeneration":
			c.ObservedGeneration = s.int(c.ObservedGeneration)
		case "lastTransitionTime":
			c.LastTransitionTime = s.string()
		}
	})
	return c
}
