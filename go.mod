module github.com/winnow-search/winnow

go 1.26

require (
	github.com/klauspost/compress v1.20.3
	github.com/kljensen/snowball v0.10.0
	golang.org/x/text v0.32.0
)

require (
	github.com/fsnotify/fsnotify v1.9.0 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	golang.org/x/net v0.48.0 // indirect
	golang.org/x/sys v0.39.0 // indirect
	gopkg.in/yaml.v3 v3.0.1 // indirect
)
