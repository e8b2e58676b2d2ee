//go:build race

package judge_test

// shadow is how many times the memory a program takes with the race detector,
// which keeps a history of each word of it.
const shadow = 4
