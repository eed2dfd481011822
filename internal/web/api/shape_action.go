package api

// Verdict says whether an action may be taken on a step, and why.
type Verdict struct {
	Action    string   `json:"action" enum:"retry_unfinished,reconcile,mark_external_result,compensate,abandon"`
	Step      *string  `json:"step" doc:"A step's name; null where the action is about none."`
	Allowed   bool     `json:"allowed"`
	Rule      string   `json:"rule"`
	Because   string   `json:"because"`
	People    int      `json:"people" enum:"1,2" doc:"How many people it takes."`
	Approvers []string `json:"approvers" nullable:"false" doc:"Names of those who may sign as the second."`
}
