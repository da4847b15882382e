// Renders a chart as Helm does for these templates: its engine (text/template), its functions (sprig), its values. Strict: what is
// not there ends it. Usage: render CHART VALUES…
package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/template"

	"github.com/Masterminds/sprig"
	"gopkg.in/yaml.v3"
)

func load(path string) map[string]interface{} {
	b, err := os.ReadFile(path)
	if err != nil {
		panic(err)
	}
	v := map[string]interface{}{}
	if err := yaml.Unmarshal(b, &v); err != nil {
		panic(err)
	}
	return v
}
func merge(a, b map[string]interface{}) map[string]interface{} {
	for k, v := range b {
		if v == nil {
			delete(a, k)
			continue
		}
		if m, ok := v.(map[string]interface{}); ok {
			if n, ok := a[k].(map[string]interface{}); ok {
				a[k] = merge(n, m)
				continue
			}
		}
		a[k] = v
	}
	return a
}
func main() {
	chart := os.Args[1]
	values := load(filepath.Join(chart, "values.yaml"))
	for _, f := range os.Args[2:] {
		merge(values, load(f))
	}
	c := load(filepath.Join(chart, "Chart.yaml"))
	data := map[string]interface{}{
		"Values":  values,
		"Chart":   map[string]interface{}{"Name": c["name"], "Version": c["version"], "AppVersion": c["appVersion"]},
		"Release": map[string]interface{}{"Name": "files", "Namespace": "longshore", "Service": "Helm"},
	}
	fm := sprig.TxtFuncMap()
	fm["toYaml"] = func(v interface{}) string {
		var b bytes.Buffer
		e := yaml.NewEncoder(&b)
		e.SetIndent(2)
		if err := e.Encode(v); err != nil {
			panic(err)
		}
		return strings.TrimSuffix(b.String(), "\n")
	}
	files, _ := filepath.Glob(filepath.Join(chart, "templates", "*"))
	for _, f := range files {
		b, _ := os.ReadFile(f)
		t, err := template.New(f).Funcs(fm).Option("missingkey=error").Parse(string(b))
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		if strings.HasSuffix(f, ".txt") {
			if err := t.Execute(&bytes.Buffer{}, data); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
			continue
		}
		fmt.Println("---")
		if err := t.Execute(os.Stdout, data); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}
