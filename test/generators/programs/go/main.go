// The client that openapi-generator makes for Go: sends, reads, lists, and verifies a webhook.
package main

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"log"
	"net/http"
	"os"

	tidings "example.com/tidings/client"
)

func must[T any](value T, _ *http.Response, err error) T {
	if err != nil {
		log.Fatal(err)
	}
	return value
}

func check(isRight bool, what string) {
	if !isRight {
		log.Fatal("wrong: ", what)
	}
}

func main() {
	reference := os.Getenv("REFERENCE")
	configuration := tidings.NewConfiguration()
	configuration.Servers = tidings.ServerConfigurations{{URL: os.Getenv("BASE")}}
	client := tidings.NewAPIClient(configuration)
	keys := map[string]tidings.APIKey{"apiKey": {Key: os.Getenv("KEY")}}
	ctx := context.WithValue(context.Background(), tidings.ContextAPIKeys, keys)

	wanted := tidings.NewCreateWebhookRequest(os.Getenv("HOOK"), []tidings.EventType{tidings.MESSAGE_DELIVERED})
	hook := must(client.WebhooksAPI.CreateWebhook(ctx).CreateWebhookRequest(*wanted).Execute()).Data

	body := tidings.NewSendToPhone("+15551234567", "sms", *tidings.NewPhoneContent("Hello {{name}} from Go"))
	body.SetVariables(map[string]interface{}{"name": "Ada"})
	body.SetReference(reference)
	send := client.MessagesAPI.SendMessage(ctx).SendMessageRequest(tidings.SendToPhoneAsSendMessageRequest(body)).IdempotencyKey(reference)
	sent := must(send.Execute()).Data.Message
	check(sent.Metadata == nil && sent.CreditsUsed == 1, "the sent message")
	content := sent.GetContent()
	check(content.Text == "Hello Ada from Go", "the variables")

	delivery, err := http.Get(os.Getenv("INBOX") + "/" + sent.Id)
	if err != nil {
		log.Fatal(err)
	}
	raw, _ := io.ReadAll(delivery.Body)
	mac := hmac.New(sha256.New, []byte(hook.Secret))
	mac.Write(raw)
	check(hex.EncodeToString(mac.Sum(nil)) == delivery.Header.Get("X-Service-Signature"), "the signature")
	var event tidings.MessageDeliveredEvent
	check(json.Unmarshal(raw, &event) == nil && event.Data.MessageId == sent.Id, "the event")

	found := must(client.MessagesAPI.GetMessage(ctx, sent.Id).Execute()).Data.Message
	check(found.Status == tidings.DELIVERED, "the status")
	page := must(client.MessagesAPI.ListMessages(ctx).Reference(reference).Limit(10).Execute()).Data.Messages
	check(len(page) == 1 && page[0].Id == sent.Id, "the list")
	_, refusal, _ := client.MessagesAPI.GetMessage(ctx, hook.Webhook.Id).Execute()
	check(refusal.StatusCode == 404, "the refusal")
	must(client.WebhooksAPI.DeleteWebhook(ctx, hook.Webhook.Id).Execute())
}
