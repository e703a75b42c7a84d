package browser

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sync"
)

type object map[string]any

// pipe carries the DevTools protocol: commands out, replies and events in.
type pipe struct {
	done chan struct{} // closed when the browser has gone

	mu        sync.Mutex
	out       io.Writer
	last      int
	waiting   map[int]chan message
	listeners map[string]func(method string, params json.RawMessage)
}

// message is a reply if it has an ID, and an event otherwise.
type message struct {
	ID      int             `json:"id"`
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   *struct {
		Message string `json:"message"`
	} `json:"error"`
}

var errGone = errors.New("the browser has gone")

func newPipe(out io.Writer, in io.ReadCloser) *pipe {
	p := &pipe{done: make(chan struct{}), out: out, waiting: map[int]chan message{}, listeners: map[string]func(string, json.RawMessage){}}
	go p.read(in)
	return p
}

func (p *pipe) read(in io.ReadCloser) {
	defer close(p.done)
	defer in.Close()
	for r := bufio.NewReader(in); ; {
		line, err := r.ReadBytes(0)
		if err != nil {
			return
		}
		var m message
		if json.Unmarshal(bytes.TrimSuffix(line, []byte{0}), &m) != nil {
			continue
		}
		p.mu.Lock()
		reply, listener := p.waiting[m.ID], p.listeners[m.Session]
		delete(p.waiting, m.ID)
		p.mu.Unlock()
		switch {
		case reply != nil:
			reply <- m
		case m.Method != "" && listener != nil:
			listener(m.Method, m.Params)
		}
	}
}

// listen sends the events of a session to f, which must not call back.
func (p *pipe) listen(session string, f func(string, json.RawMessage)) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listeners[session] = f
}

// call sends a command and waits for its reply.
func (p *pipe) call(session, method string, params, into any) error {
	reply := make(chan message, 1)
	p.mu.Lock()
	p.last++
	command := object{"id": p.last, "method": method}
	if session != "" {
		command["sessionId"] = session
	}
	if params != nil {
		command["params"] = params
	}
	b, err := json.Marshal(command)
	if err == nil {
		p.waiting[p.last] = reply
		_, err = p.out.Write(append(b, 0))
	}
	p.mu.Unlock()
	if err != nil {
		return err
	}
	select {
	case m := <-reply:
		if m.Error != nil {
			return errors.New(m.Error.Message)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(m.Result, into)
	case <-p.done:
		return errGone
	}
}

func (p *pipe) wait() { <-p.done }
