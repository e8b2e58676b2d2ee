package kube

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strconv"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/transport/spdy"
	"k8s.io/streaming/pkg/httpstream"
)

// forwarding is the protocol of a forwarded port. The package of client-go that names it brings websockets.
const forwarding = "portforward.k8s.io"

// Dial opens a TCP connection to a port of a pod, through the API server, and closes it with ctx. That the pod does not
// take it shows when it is read.
func (c *Client) Dial(ctx context.Context, namespace, pod string, port int) (io.ReadWriteCloser, error) {
	what := fmt.Sprintf("open a connection to port %d of pod %s/%s", port, namespace, pod)
	transport, upgrader, err := spdy.RoundTripperFor(c.Config)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	url := c.Typed.CoreV1().RESTClient().Post().Namespace(namespace).Resource("pods").Name(pod).SubResource("portforward").URL()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url.String(), nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	connection, _, err := spdy.NegotiateStreaming(upgrader, &http.Client{Transport: transport}, request, forwarding)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	context.AfterFunc(ctx, func() { _ = connection.Close() })
	headers := http.Header{}
	headers.Set(corev1.PortHeader, strconv.Itoa(port))
	headers.Set(corev1.PortForwardRequestIDHeader, "0")
	var streams []httpstream.Stream
	for _, kind := range []string{corev1.StreamTypeError, corev1.StreamTypeData} {
		headers.Set(corev1.StreamType, kind)
		stream, err := connection.CreateStream(headers)
		if err != nil {
			_ = connection.Close()
			return nil, fmt.Errorf("%s: %w", what, err)
		}
		streams = append(streams, stream)
	}
	_ = streams[0].Close() // nothing is written to it
	p := &podConnection{Stream: streams[1], connection: connection, told: make(chan error, 1)}
	go func() {
		text, err := io.ReadAll(streams[0])
		if err == nil && len(text) > 0 {
			err = fmt.Errorf("%s: %s", what, text)
		}
		p.told <- err
	}()
	return p, nil
}

type podConnection struct {
	httpstream.Stream

	connection httpstream.Connection
	told       chan error // what the node says of the connection, once, at its end
}

// Read reads what the pod sends. At its end the node has said whether the pod took the connection.
func (p *podConnection) Read(into []byte) (int, error) {
	n, err := p.Stream.Read(into)
	if n > 0 || err == nil {
		return n, nil
	}
	if told := <-p.told; told != nil {
		err = told
	}
	p.told <- err
	return 0, err
}

func (p *podConnection) Close() error { return p.connection.Close() }
