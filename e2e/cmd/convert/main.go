// Command convert reads a recording of any schema from standard input and writes it in
// the present schema to standard output. It is here for one commit: no release has ever
// written an older schema.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"operatorbench/e2e/record"
)

func main() {
	out := bufio.NewWriter(os.Stdout)
	for entry, err := range record.Read(os.Stdin) {
		if err == nil {
			if entry.Header != nil {
				entry.Header.Schema = record.Schema
			}
			var line []byte
			if line, err = json.Marshal(entry); err == nil {
				_, err = out.Write(append(line, '\n'))
			}
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "convert:", err)
			os.Exit(1)
		}
	}
	if err := out.Flush(); err != nil {
		fmt.Fprintln(os.Stderr, "convert:", err)
		os.Exit(1)
	}
}
