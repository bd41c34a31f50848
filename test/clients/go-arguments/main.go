// Reads a Go program on standard input, as JSON, and prints what it gives to types of the package gatehouse: each literal's
// type, and for each field how its value is made (pulumi.String, []gatehouse.GroupArgs, text, …).
package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"log"
	"os"
	"strings"
)

type literal struct {
	Type   string            `json:"type"`
	Fields map[string]string `json:"fields"`
}

func main() {
	var source string
	if err := json.NewDecoder(os.Stdin).Decode(&source); err != nil {
		log.Fatal(err)
	}
	files := token.NewFileSet()
	file, err := parser.ParseFile(files, "main.go", source, 0)
	if err != nil {
		log.Fatal(err)
	}
	text := func(node ast.Node) string {
		var into strings.Builder
		if err := printer.Fprint(&into, files, node); err != nil {
			log.Fatal(err)
		}
		return into.String()
	}
	var made func(value ast.Expr) string
	made = func(value ast.Expr) string {
		switch one := value.(type) {
		case *ast.CompositeLit:
			return text(one.Type)
		case *ast.CallExpr:
			return text(one.Fun)
		case *ast.UnaryExpr:
			return made(one.X)
		case *ast.BasicLit:
			return strings.ToLower(one.Kind.String())
		}
		return "?"
	}
	literals := []literal{}
	add := func(name string, one *ast.CompositeLit) {
		fields := map[string]string{}
		for _, element := range one.Elts {
			pair := element.(*ast.KeyValueExpr)
			fields[text(pair.Key)] = made(pair.Value)
		}
		literals = append(literals, literal{strings.TrimPrefix(name, "gatehouse."), fields})
	}
	ast.Inspect(file, func(node ast.Node) bool {
		one, ok := node.(*ast.CompositeLit)
		if !ok || one.Type == nil {
			return true
		}
		name := text(one.Type)
		if strings.HasPrefix(name, "gatehouse.") {
			add(name, one)
		}
		if strings.HasPrefix(name, "[]gatehouse.") {
			for _, element := range one.Elts {
				add(strings.TrimPrefix(name, "[]"), element.(*ast.CompositeLit))
			}
		}
		return true
	})
	if err := json.NewEncoder(os.Stdout).Encode(literals); err != nil {
		log.Fatal(err)
	}
}
