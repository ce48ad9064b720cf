// Receives webhooks; standard library only. Put a proxy with TLS in front; WEBHOOK_SECRETS holds one secret, or several while one replaces another.
package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"
)

const tolerance = 300 * time.Second
const bytesMax = 1_000_000
const keyBytesMin = 16
const seenMax = 10_000

type event struct {
	Event string         `json:"event"`
	Data  map[string]any `json:"data"`
}

// The ids of the newest events that were handled. One process; several need a unique column instead.
type memory struct {
	mutex sync.Mutex
	ids   map[string]bool
	order []string
}

func (m *memory) has(id string) bool {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	return m.ids[id]
}

func (m *memory) add(id string) {
	m.mutex.Lock()
	defer m.mutex.Unlock()
	m.ids[id] = true
	m.order = append(m.order, id)
	if len(m.order) > seenMax {
		delete(m.ids, m.order[0])
		m.order = m.order[1:]
	}
}

var seen = memory{ids: map[string]bool{}}
var handling sync.Map

func handle(received event) error {
	messageID, _ := received.Data["message_id"].(string) // a test event has none
	fmt.Println(received.Event, messageID)
	return nil
}

func check(keys [][]byte, header http.Header, body []byte) error {
	seconds, err := strconv.ParseInt(header.Get("webhook-timestamp"), 10, 64)
	if err != nil || time.Since(time.Unix(seconds, 0)).Abs() > tolerance {
		return errors.New("webhook-timestamp is missing, or more than 300 s from now")
	}
	for _, key := range keys {
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.%s", header.Get("webhook-id"), header.Get("webhook-timestamp"), body)
		expected := []byte("v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil)))
		for _, given := range strings.Split(header.Get("webhook-signature"), " ") {
			if hmac.Equal(expected, []byte(given)) {
				return nil
			}
		}
	}
	return errors.New("no signature fits: is WEBHOOK_SECRETS the secret of this webhook?")
}

func main() {
	var keys [][]byte
	for _, secret := range strings.Fields(os.Getenv("WEBHOOK_SECRETS")) {
		encoded, isWhole := strings.CutPrefix(secret, "whsec_")
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !isWhole || err != nil || len(key) < keyBytesMin {
			log.Fatal("WEBHOOK_SECRETS must be the whole secret of the webhook: whsec_ and base64")
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		log.Fatal("Set WEBHOOK_SECRETS to the secret of the webhook: whsec_...")
	}
	http.HandleFunc("POST /", func(response http.ResponseWriter, request *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(response, request.Body, bytesMax))
		if err == nil {
			err = check(keys, request.Header, body)
		}
		var received event
		if err == nil {
			err = json.Unmarshal(body, &received)
		}
		if err != nil {
			log.Print("refused: ", err)
			response.WriteHeader(http.StatusForbidden)
			return
		}
		id := request.Header.Get("webhook-id")
		if _, busy := handling.LoadOrStore(id, true); busy {
			response.WriteHeader(http.StatusServiceUnavailable) // it may still fail: not acknowledged, so it will come again
			return
		}
		defer handling.Delete(id)
		if seen.has(id) {
			return // it came before
		}
		if handle(received) != nil {
			response.WriteHeader(http.StatusInternalServerError) // not acknowledged
			return
		}
		seen.add(id)
	})
	port := os.Getenv("PORT")
	if port == "" {
		port = "8080"
	}
	log.Print("listening on http://127.0.0.1:" + port)
	log.Fatal(http.ListenAndServe("127.0.0.1:"+port, nil))
}
