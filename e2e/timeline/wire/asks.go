package wire

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
)

// The fields of a container's resources that have amounts.
var amounts = []string{"limits", "requests"}

// rules are the fields of a pod that leave it fewer nodes, beside the amounts.
var rules = []string{"affinity", "ephemeral", "hostPort", "nodeSelector", "persistentVolumeClaim", "resourceClaims", "topologySpreadConstraints"}

// Asks lists what is asked of a node, each as a text, wherever it stands in a pod's spec, or in one that has parts of
// such a spec.
func Asks(spec any) []string {
	var list []string
	asks(spec, func(name string, amount any) {
		if text := amountOf(amount); text != "0" {
			list = append(list, text+" of "+name)
		}
	}, func(rule string, is any) {
		if text, err := json.Marshal(is); err == nil && !slices.Contains([]string{"null", "{}", "[]", "0", `""`}, string(text)) {
			list = append(list, rule+" "+string(text))
		}
	})
	slices.Sort(list)
	return slices.Compact(list)
}

// Request adds what the containers in an object request to a sum. What is no amount adds nothing.
func Request(spec any, sum corev1.ResourceList) {
	asks(spec, func(name string, amount any) {
		if quantity, err := resource.ParseQuantity(fmt.Sprint(amount)); err == nil && quantity.Sign() > 0 {
			quantity.Add(sum[corev1.ResourceName(name)])
			sum[corev1.ResourceName(name)] = quantity
		}
	}, func(string, any) {})
}

// asks visits what is asked of a node, wherever it stands. A container requests what it is limited to, where it does not
// say what it requests; what a volume requests is not of a node.
func asks(value any, amount, rule func(name string, is any)) {
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			asks(one, amount, rule)
		}
	case map[string]any:
		requested := map[string]any{}
		for _, key := range amounts {
			of, _ := value[key].(map[string]any)
			maps.Copy(requested, of)
		}
		delete(requested, string(corev1.ResourceStorage))
		for name, is := range requested {
			amount(name, is)
		}
		for key, inner := range value {
			switch {
			case slices.Contains(amounts, key):
			case slices.Contains(rules, key):
				rule(key, inner)
			default:
				asks(inner, amount, rule)
			}
		}
	}
}

// amountOf is a quantity as Kubernetes writes it: 50m for 0.05.
func amountOf(value any) string {
	text := fmt.Sprint(value)
	quantity, err := resource.ParseQuantity(text)
	if err != nil {
		return text
	}
	return quantity.String()
}

// readAsks reads what an object's spec asks of a node.
func (o *Object) readAsks(raw json.RawMessage) error {
	if !slices.ContainsFunc(slices.Concat(amounts, rules), func(key string) bool { return bytes.Contains(raw, []byte(`"`+key+`"`)) }) {
		return nil
	}
	var in struct {
		Spec any `json:"spec"`
	}
	if err := json.Unmarshal(raw, &in); err != nil {
		return err
	}
	o.Asks = Asks(in.Spec)
	return nil
}
