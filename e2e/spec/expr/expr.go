// Package expr compiles and evaluates the expressions of a workload, in Kubernetes' own environment of CEL. An
// expression is a conjunction of parts; what has not come true is reported as the first part that does not hold, with
// the values last seen.
package expr

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/operators"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/parser"
	"k8s.io/apimachinery/pkg/util/version"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"

	"operatorbench/e2e/plain"
	"operatorbench/e2e/spec/schema"
)

// The variables that every expression has, beside the children by their ids.
const (
	Custom = "cr"   // the custom resource
	Knob   = "knob" // what its knobs were last set to, by name
)

// Expression is a compiled expression. It is safe for concurrent use.
type Expression struct {
	text  string
	parts []part
	names map[string]bool
}

// Reads reports whether an expression reads a variable.
func (e *Expression) Reads(variable string) bool { return e.names[variable] }

// part is one operand of the conjunction.
type part struct {
	text  string
	holds cel.Program
	// sides are the two operands of a comparison, whose values tell more than that it does not hold; nil: it is none.
	sides []side
}

type side struct {
	text  string
	value cel.Program
}

// Environment is where expressions are compiled.
type Environment struct {
	env    *cel.Env
	fields []string // that the variables have, at any depth; empty: they may have any
}

// Untyped returns an environment in which the objects may have any field: that of a recording.
func Untyped(objects ...string) (*Environment, error) {
	options := plain.Map(append([]string{Custom, Knob}, objects...), func(name string) cel.EnvOption { return cel.Variable(name, cel.DynType) })
	return extend(environment.VersionedOptions{IntroducedVersion: version.MajorMinor(1, 0), EnvOptions: options})
}

func extend(options environment.VersionedOptions) (*Environment, error) {
	set, err := environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).Extend(options)
	if err != nil {
		return nil, fmt.Errorf("make the environment of expressions: %w", err)
	}
	env, err := set.Env(environment.StoredExpressions)
	if err == nil {
		env, err = env.Extend(cel.EnableMacroCallTracking()) // a part of an expression is printed as it was written
	}
	if err != nil {
		return nil, fmt.Errorf("make the environment of expressions: %w", err)
	}
	return &Environment{env: env}, nil
}

// longest is how many bytes an expression may have.
const longest = 4 << 10

// Compile compiles an expression that is true or false.
func (e *Environment) Compile(text string) (*Expression, error) {
	if len(text) > longest {
		return nil, fmt.Errorf("it has %d bytes, expected at most %d", len(text), longest)
	}
	checked, problems := e.env.Compile(text)
	switch {
	case problems.Err() != nil:
		list := plain.Map(problems.Errors(), func(problem *cel.Error) string { return problem.Message })
		return nil, errors.New(strings.Join(list, "; ") + e.meant(text))
	case checked.OutputType() != cel.BoolType && checked.OutputType() != cel.DynType:
		return nil, fmt.Errorf("it is of the type %s, expected bool", checked.OutputType())
	}
	compiled := &Expression{text: text, names: map[string]bool{}}
	info := checked.NativeRep().SourceInfo()
	ast.PostOrderVisit(checked.NativeRep().Expr(), ast.NewExprVisitor(func(at ast.Expr) {
		if at.Kind() == ast.IdentKind {
			compiled.names[at.AsIdent()] = true
		}
	}))
	for _, operand := range conjuncts(checked.NativeRep().Expr()) {
		one, err := e.part(operand, info)
		if err != nil {
			return nil, err
		}
		compiled.parts = append(compiled.parts, one)
	}
	return compiled, nil
}

// meant says which field was probably meant by one that no variable has; empty: nothing is near.
func (e *Environment) meant(text string) string {
	parsed, problems := e.env.Parse(text)
	if problems.Err() != nil || len(e.fields) == 0 {
		return ""
	}
	suggestion := ""
	ast.PostOrderVisit(parsed.NativeRep().Expr(), ast.NewExprVisitor(func(at ast.Expr) {
		if at.Kind() != ast.SelectKind || suggestion != "" {
			return
		}
		if name := at.AsSelect().FieldName(); !slices.Contains(e.fields, name) {
			suggestion = schema.Suggestion(name, e.fields)
		}
	}))
	return suggestion
}

// conjuncts are the operands that must all hold.
func conjuncts(e ast.Expr) []ast.Expr {
	if e.Kind() != ast.CallKind || e.AsCall().FunctionName() != operators.LogicalAnd {
		return []ast.Expr{e}
	}
	return plain.Flat(e.AsCall().Args(), conjuncts)
}

var comparisons = map[string]bool{
	operators.Equals: true, operators.NotEquals: true,
	operators.Less: true, operators.LessEquals: true, operators.Greater: true, operators.GreaterEquals: true,
}

func (e *Environment) part(operand ast.Expr, info *ast.SourceInfo) (part, error) {
	text, holds, err := e.program(operand, info)
	if err != nil {
		return part{}, err
	}
	one := part{text: text, holds: holds}
	if operand.Kind() != ast.CallKind || !comparisons[operand.AsCall().FunctionName()] {
		return one, nil
	}
	for _, arg := range operand.AsCall().Args() {
		text, value, err := e.program(arg, info)
		if err != nil {
			return part{}, err
		}
		if arg.Kind() != ast.LiteralKind {
			one.sides = append(one.sides, side{text, value})
		}
	}
	return one, nil
}

// program compiles a part of an expression by itself.
func (e *Environment) program(operand ast.Expr, info *ast.SourceInfo) (string, cel.Program, error) {
	text, err := parser.Unparse(operand, info)
	if err != nil {
		return "", nil, fmt.Errorf("take the expression apart: %w", err)
	}
	checked, problems := e.env.Compile(text)
	if problems.Err() != nil {
		return "", nil, problems.Err()
	}
	// A rule over many objects must not take the time in which events are stamped: Kubernetes' own limit of one
	// expression.
	program, err := e.env.Program(checked, cel.CostLimit(celconfig.PerCallLimit), cel.EvalOptions(cel.OptOptimize, cel.OptTrackCost))
	return text, program, err
}

// Lacks says in one sentence which part does not hold, with the values last seen; empty: all of them hold. A field that
// is absent makes a part not hold yet. steps is what evaluating cost, in CEL's units.
func (e *Expression) Lacks(values map[string]any) (lacks string, steps int) {
	for i := range e.parts {
		p := &e.parts[i]
		result, details, err := p.holds.Eval(values)
		steps += cost(details)
		if err == nil && result == types.True {
			continue
		}
		lacks = fmt.Sprintf("%s does not hold", p.text)
		if err != nil {
			return fmt.Sprintf("%s (%s)", lacks, reason(err)), steps
		}
		var seen []string
		for _, s := range p.sides {
			value, details, err := s.value.Eval(values)
			if steps += cost(details); err == nil {
				seen = append(seen, fmt.Sprintf("%s is %s", s.text, plain.Clip(fmt.Sprint(value.Value()), longestValue)))
			}
		}
		if len(seen) > 0 {
			lacks += " (" + strings.Join(seen, ", ") + ")"
		}
		return lacks, steps
	}
	return "", steps
}

func cost(details *cel.EvalDetails) int {
	if details == nil || details.ActualCost() == nil {
		return 0
	}
	return int(min(*details.ActualCost(), celconfig.PerCallLimit)) //nolint:gosec // the limit is far below the largest int
}

// reason is why an expression has no value, as people read it.
func reason(err error) string {
	text := err.Error()
	if field, absent := strings.CutPrefix(text, "no such key: "); absent {
		return field + " is absent"
	}
	return text
}

const longestValue = 80
