module gatehouse.example/go-arguments

go 1.19
