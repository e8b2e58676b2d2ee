//go:build !race

package judge_test

const shadow = 1
