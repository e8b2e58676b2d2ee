package wire

import "operatorbench/e2e/spec"

// skim reads an object as wire does, in one pass over its text, and takes
// nothing apart that judging does not need: most of an object is never looked
// at. False: the text is not of the usual form, and wire must be asked.
func (o *Object) skim(raw []byte) bool {
	s := &scanner{text: raw}
	o.Replicas = 1
	s.object(func(key []byte) {
		switch string(key) {
		case "metadata":
			s.object(func(key []byte) { o.skimMetadata(s, key) })
		case "spec":
			s.object(func(key []byte) {
				switch string(key) {
				case "size":
					o.Size = int(s.int(int64(o.Size)))
				case "replicas":
					o.Replicas = int(s.int(int64(o.Replicas)))
				}
			})
		case "status":
			s.object(func(key []byte) { o.skimStatus(s, key) })
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
	case "nodes":
		o.Nodes = s.strings()
	case "phase":
		o.Phase = s.string()
	case "selector", "conditions":
		if o.Resource == spec.CustomResources {
			o.skimClaims(s, key)
		}
	}
}

// skimClaims reads what of the status custom resources alone are asked for.
func (o *Object) skimClaims(s *scanner, key []byte) {
	switch {
	case string(key) == "selector":
		o.Selector = s.string()
	case s.null():
		o.Conditions = nil
	default:
		o.Conditions = []Condition{}
		s.array(func() { o.skimCondition(s) })
	}
}

func (o *Object) skimCondition(s *scanner) {
	var c Condition
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
		}
	})
	o.Conditions = append(o.Conditions, c)
}
