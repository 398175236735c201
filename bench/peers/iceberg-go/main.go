// Command iceberg-go-peer is iceberg-go's AddFiles as a process that lives: a job a line on standard input, an answer a line on
// standard output.
//
//	iceberg-go-peer '{"catalog":"http://…","endpoint":"http://…",…}' check|no-check
//
// then {"table":"a.b","files":["s3://…"]} a line.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/apache/iceberg-go"
	"github.com/apache/iceberg-go/catalog"
	"github.com/apache/iceberg-go/catalog/rest"
	_ "github.com/apache/iceberg-go/io/gocloud/s3"
	"github.com/apache/iceberg-go/table"
)

type services struct {
	Catalog         string `json:"catalog"`
	Endpoint        string `json:"endpoint"`
	Region          string `json:"region"`
	AccessKeyID     string `json:"accessKeyId"`
	SecretAccessKey string `json:"secretAccessKey"`
}

type job struct {
	Table string   `json:"table"`
	Files []string `json:"files"`
}

const footersAtOnce = 8

func main() {
	if err := serve(context.Background(), os.Args[1], os.Args[2] == "no-check"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func serve(ctx context.Context, connection string, ignoreDuplicates bool) error {
	lake, err := connect(ctx, connection)
	if err != nil {
		return err
	}
	tables := map[string]*table.Table{}
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var next job
		if err := json.Unmarshal(lines.Bytes(), &next); err != nil {
			return err
		}
		started, cpu := time.Now(), cpuMs()
		known, ok := tables[next.Table]
		if !ok {
			if known, err = lake.LoadTable(ctx, strings.Split(next.Table, ".")); err != nil {
				return err
			}
		}
		transaction := known.NewTransaction()
		if err := transaction.AddFiles(ctx, next.Files, nil, ignoreDuplicates, table.WithAddFilesConcurrency(footersAtOnce)); err != nil {
			return err
		}
		if tables[next.Table], err = transaction.Commit(ctx); err != nil {
			return err
		}
		elapsed := time.Since(started)
		fmt.Printf("{\"elapsedMs\":%.3f,\"cpuMs\":%.3f,\"rssMib\":%.1f}\n", float64(elapsed.Microseconds())/1e3, cpuMs()-cpu, rssMib())
	}
	return lines.Err()
}

func connect(ctx context.Context, connection string) (catalog.Catalog, error) {
	var to services
	if err := json.Unmarshal([]byte(connection), &to); err != nil {
		return nil, err
	}
	return rest.NewCatalog(ctx, "bench", to.Catalog, rest.WithAdditionalProps(iceberg.Properties{
		"s3.endpoint":                 to.Endpoint,
		"s3.region":                   to.Region,
		"s3.access-key-id":            to.AccessKeyID,
		"s3.secret-access-key":        to.SecretAccessKey,
		"s3.force-virtual-addressing": "false",
	}))
}

func cpuMs() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return float64(usage.Utime.Nano()+usage.Stime.Nano()) / 1e6
}

func rssMib() float64 {
	status, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			kib, _ := strconv.ParseFloat(strings.Fields(rest)[0], 64)
			return kib / 1024
		}
	}
	return 0
}
