package spec

// Floor is the name of the style in which the harness itself writes the main child and no operator is there: its
// latencies are the cluster's and the observer's own. Reports show it before all others.
const Floor = "floor"
