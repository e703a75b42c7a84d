module github.com/winnow-search/winnow/tools

go 1.26.0

require (
	github.com/dlclark/regexp2/v2 v2.5.1
	github.com/tiktoken-go/tokenizer v0.10.0
	github.com/winnow-search/winnow v0.0.0-00010101000000-000000000000
)

require (
	golang.org/x/sys v0.48.0 // indirect
	golang.org/x/text v0.42.0 // indirect
)

replace github.com/winnow-search/winnow => ../
