// The calls of the official vault resources, by the client that they use: HashiCorp's. Reads where a secrets service is
// from standard input; prints each call with its requests, their answers and what the client makes of them.
package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/hashicorp/vault/api"
)

type given struct {
	Address  string
	Token    string
	Issuer   string
	Messages bool
}

// A request of a call, and its answer.
type exchange struct {
	Method    string          `json:"method"`
	Path      string          `json:"path"`
	Namespace string          `json:"namespace,omitempty"`
	Body      json.RawMessage `json:"body,omitempty"`
	Status    int             `json:"status"`
	Answer    json.RawMessage `json:"answer,omitempty"`
}

type call struct {
	Resource string      `json:"resource"`
	What     string      `json:"what"`
	Requests []exchange  `json:"requests"`
	Value    interface{} `json:"value,omitempty"`
	Error    string      `json:"error,omitempty"`
}

// Notes the requests of a client.
type recorder struct {
	exchanges []exchange
}

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	sent, err := request.GetBody()
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(sent)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	answer, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	response.Body = io.NopCloser(bytes.NewReader(answer))
	one := exchange{
		Method:    request.Method,
		Path:      strings.TrimPrefix(request.URL.Path, "/v1/"),
		Namespace: request.Header.Get("X-Vault-Namespace"),
		Body:      bytes.TrimSpace(body),
		Status:    response.StatusCode,
		Answer:    bytes.TrimSpace(answer),
	}
	// Of a question that is asked until something is done, the last answer counts.
	if last := len(r.exchanges) - 1; last >= 0 && one.Method == "GET" && r.exchanges[last].Path == one.Path {
		r.exchanges = r.exchanges[:last]
	}
	r.exchanges = append(r.exchanges, one)
	return response, nil
}

// What calls have in common: the client, and what became of them so far.
type session struct {
	client   *api.Client
	recorder *recorder
	resource string
	calls    []call
}

// Makes a call and notes it. Its value is nil where it has none, or where it failed.
func (s *session) do(what string, make func() (interface{}, error)) interface{} {
	s.recorder.exchanges = nil
	value, err := make()
	done := call{Resource: s.resource, What: what, Requests: s.recorder.exchanges}
	if err != nil {
		done.Error, value = err.Error(), nil
	}
	done.Value = value
	s.calls = append(s.calls, done)
	return value
}

func (s *session) write(what, path string, data map[string]interface{}) *api.Secret {
	return s.secret(what, func() (*api.Secret, error) { return s.client.Logical().Write(path, data) })
}

func (s *session) read(what, path string) *api.Secret {
	return s.secret(what, func() (*api.Secret, error) { return s.client.Logical().Read(path) })
}

func (s *session) remove(what, path string) {
	s.secret(what, func() (*api.Secret, error) { return s.client.Logical().Delete(path) })
}

func (s *session) secret(what string, make func() (*api.Secret, error)) *api.Secret {
	secret, _ := s.do(what, func() (interface{}, error) { return make() }).(*api.Secret)
	return secret
}

// A call that answers nothing but whether it worked.
func (s *session) plain(what string, make func() error) {
	s.do(what, func() (interface{}, error) { return nil, make() })
}

// A field of an answer, as a text.
func text(secret *api.Secret, field string) string {
	if secret == nil {
		return ""
	}
	return fmt.Sprint(secret.Data[field])
}

// Reads until nothing is there, as the official resource waits for a namespace to go.
func (s *session) gone(what, path string) {
	s.secret(what, func() (*api.Secret, error) {
		for attempt := 0; attempt < 100; attempt++ {
			secret, err := s.client.Logical().Read(path)
			if secret == nil || err != nil {
				return secret, err
			}
			time.Sleep(50 * time.Millisecond)
		}
		return nil, errors.New("it is still there")
	})
}

func main() {
	var in given
	check(json.NewDecoder(os.Stdin).Decode(&in))
	recorder := &recorder{}
	config := api.DefaultConfig()
	check(config.Error)
	config.Address = in.Address
	config.HttpClient.Transport = recorder
	config.ReadYourWrites = true
	config.MaxRetries = 0
	client, err := api.NewClient(config)
	check(err)
	client.SetCloneHeaders(true)
	client.SetCloneToken(true)
	client.SetToken(in.Token)
	session := &session{client: client, recorder: recorder}
	for _, resource := range resources {
		if resource.name == "custom message" && !in.Messages {
			continue
		}
		session.resource = resource.name
		resource.calls(session, in)
	}
	check(json.NewEncoder(os.Stdout).Encode(session.calls))
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
