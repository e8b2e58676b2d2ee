// The hook of the style metacontroller-go: an HTTP server that Metacontroller asks
// what Deployment and what status a Memcached must have.
package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"
	"time"
)

const (
	headerTimeout = 10 * time.Second
	lastAnswers   = 2 * time.Second // what a request that is under way is given at the end
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: hook PORT")
		os.Exit(2)
	}
	if err := serve(context.Background(), ":"+os.Args[1]); err != nil {
		slog.Error("the hook has ended", "error", err)
		os.Exit(1)
	}
}

// serve answers at the address until it is told to end.
func serve(ctx context.Context, address string) error {
	ctx, stop := signal.NotifyContext(ctx, os.Interrupt, syscall.SIGTERM)
	defer stop()
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("listen at %s, which must be free: %w", address, err)
	}
	slog.Info("serving", "address", listener.Addr())
	server := &http.Server{Handler: handler(), ReadHeaderTimeout: headerTimeout}
	go func() {
		<-ctx.Done()
		ending, cancel := context.WithTimeout(context.WithoutCancel(ctx), lastAnswers)
		defer cancel()
		if err := server.Shutdown(ending); err != nil {
			slog.Error("not every request was answered", "error", err)
		}
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return fmt.Errorf("serve at %s: %w", listener.Addr(), err)
	}
	return nil
}
