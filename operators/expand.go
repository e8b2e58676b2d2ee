package operators

import (
	"bytes"
	"errors"
	"fmt"
	"text/template"
	"text/template/parse"
)

// expand executes a template that holds only texts and the fields .Name and
// .Namespace: what else there is, such as a loop, may never end.
func expand(what, text, namespace, name string) (string, error) {
	parsed, err := template.New(what).Option("missingkey=error").Parse(text)
	if err != nil {
		return "", fmt.Errorf("read the template: %w", err)
	}
	if !plain(parsed.Root) {
		return "", errors.New("there is more in it than these")
	}
	var out bytes.Buffer
	if err := parsed.Execute(&out, map[string]string{"Name": name, "Namespace": namespace}); err != nil {
		return "", fmt.Errorf("fill in the template: %w", err)
	}
	return out.String(), nil
}

// plain says whether a template holds only texts and fields: what else there is,
// such as a loop, may never end.
func plain(root *parse.ListNode) bool {
	if root == nil {
		return false
	}
	for _, node := range root.Nodes {
		if node.Type() == parse.NodeText {
			continue
		}
		action, ok := node.(*parse.ActionNode)
		if !ok || len(action.Pipe.Decl) > 0 || len(action.Pipe.Cmds) != 1 || len(action.Pipe.Cmds[0].Args) != 1 {
			return false
		}
		if action.Pipe.Cmds[0].Args[0].Type() != parse.NodeField {
			return false
		}
	}
	return true
}
