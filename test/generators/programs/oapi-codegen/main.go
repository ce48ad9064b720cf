// The client that oapi-codegen makes: sends, reads, lists, and verifies a webhook.
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

	"example.com/tidings/client/tidings"
)

func must[T any](value T, err error) T {
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
	ctx, reference, limit := context.Background(), os.Getenv("REFERENCE"), 10
	withKey := tidings.WithRequestEditorFn(func(_ context.Context, request *http.Request) error {
		request.Header.Set("X-API-Key", os.Getenv("KEY"))
		return nil
	})
	client := must(tidings.NewClientWithResponses(os.Getenv("BASE"), withKey))

	wanted := tidings.CreateWebhookRequest{Url: os.Getenv("HOOK"), Events: []tidings.EventType{tidings.EventTypeMessageDelivered}}
	hook := must(client.CreateWebhookWithResponse(ctx, nil, wanted)).JSON201.Data

	body := tidings.SendToPhone{
		To:        "+15551234567",
		Channel:   tidings.SendToPhoneChannelSms,
		Content:   tidings.PhoneContent{Text: "Hello {{name}} from Go"},
		Variables: &map[string]interface{}{"name": "Ada"},
		Reference: &reference,
	}
	var send tidings.SendMessageRequest
	if err := send.FromSendToPhone(body); err != nil {
		log.Fatal(err)
	}
	answer := must(client.SendMessageWithResponse(ctx, &tidings.SendMessageParams{IdempotencyKey: &reference}, send))
	sent := answer.JSON201.Data.Message
	check(sent.Metadata == nil && sent.CreditsUsed == 1, "the sent message")
	check(sent.Content.Text == "Hello Ada from Go", "the variables")

	delivery := must(http.Get(os.Getenv("INBOX") + "/" + sent.Id.String()))
	raw := must(io.ReadAll(delivery.Body))
	mac := hmac.New(sha256.New, []byte(hook.Secret))
	mac.Write(raw)
	check(hex.EncodeToString(mac.Sum(nil)) == delivery.Header.Get("X-Service-Signature"), "the signature")
	var event tidings.MessageDeliveredEvent
	check(json.Unmarshal(raw, &event) == nil && event.Data.MessageId == sent.Id, "the event")

	found := must(client.GetMessageWithResponse(ctx, sent.Id, nil)).JSON200.Data.Message
	check(found.Status == tidings.MessageStatusDelivered, "the status")
	filter := tidings.ListMessagesParams{Reference: &reference, Limit: &limit}
	page := must(client.ListMessagesWithResponse(ctx, &filter)).JSON200.Data.Messages
	check(len(page) == 1 && page[0].Id == sent.Id, "the list")
	check(must(client.GetMessageWithResponse(ctx, hook.Webhook.Id, nil)).JSON404.Code == "not_found", "the refusal")
	must(client.DeleteWebhookWithResponse(ctx, hook.Webhook.Id, nil))
}
