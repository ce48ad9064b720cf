import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.UUID;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.MessagesApi;
import org.openapitools.client.api.MessagesApi.APIGetMessageRequest;
import org.openapitools.client.api.MessagesApi.APIListMessagesRequest;
import org.openapitools.client.api.MessagesApi.APISendMessageRequest;
import org.openapitools.client.api.WebhooksApi;
import org.openapitools.client.api.WebhooksApi.APICreateWebhookRequest;
import org.openapitools.client.api.WebhooksApi.APIDeleteWebhookRequest;
import org.openapitools.client.model.*;

/** The client that openapi-generator makes for Java: sends, reads, lists, and verifies a webhook. */
public class Main {
  private static final Map<String, String> ENV = System.getenv();

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.updateBaseUri(ENV.get("BASE"));
    client.setRequestInterceptor(request -> request.header("X-API-Key", ENV.get("KEY")));
    MessagesApi messages = new MessagesApi(client);
    WebhooksApi webhooks = new WebhooksApi(client);
    String reference = ENV.get("REFERENCE");

    CreateWebhookRequest wanted = new CreateWebhookRequest().url(URI.create(ENV.get("HOOK"))).events(List.of(EventType.MESSAGE_DELIVERED));
    CreatedWebhookData hook = webhooks.createWebhook(APICreateWebhookRequest.newBuilder().createWebhookRequest(wanted).build()).getData();
    SendToPhone body = new SendToPhone()
        .to("+15551234567")
        .channel(SendToPhone.ChannelEnum.SMS)
        .content(new PhoneContent().text("Hello {{name}} from Java"))
        .variables(Map.of("name", "Ada"))
        .reference(reference);
    APISendMessageRequest send = APISendMessageRequest.newBuilder()
        .sendMessageRequest(new SendMessageRequest(body))
        .idempotencyKey(reference)
        .build();
    Message sent = messages.sendMessage(send).getData().getMessage();
    check(sent.getMetadata() == null && sent.getCreditsUsed().intValue() == 1, "the sent message");
    check(sent.getContent().getText().equals("Hello Ada from Java"), "the variables");

    HttpRequest request = HttpRequest.newBuilder(URI.create(ENV.get("INBOX") + "/" + sent.getId())).build();
    HttpResponse<byte[]> delivery = HttpClient.newHttpClient().send(request, HttpResponse.BodyHandlers.ofByteArray());
    Mac mac = Mac.getInstance("HmacSHA256");
    mac.init(new SecretKeySpec(hook.getSecret().getBytes(), "HmacSHA256"));
    String expected = HexFormat.of().formatHex(mac.doFinal(delivery.body()));
    check(expected.equals(delivery.headers().firstValue("X-Service-Signature").orElse("")), "the signature");
    MessageDeliveredEvent event = client.getObjectMapper().readValue(delivery.body(), MessageDeliveredEvent.class);
    check(sent.getId().equals(event.getData().getMessageId()), "the event");

    check(messages.getMessage(byId(sent.getId())).getData().getMessage().getStatus() == MessageStatus.DELIVERED, "the status");
    APIListMessagesRequest filter = APIListMessagesRequest.newBuilder().reference(reference).limit(10).build();
    List<Message> page = messages.listMessages(filter).getData().getMessages();
    check(page.size() == 1 && Objects.equals(page.get(0).getId(), sent.getId()), "the list");
    try {
      messages.getMessage(byId(hook.getWebhook().getId()));
      throw new IllegalStateException("a message with the id of a webhook");
    } catch (ApiException refusal) {
      check(refusal.getCode() == 404, "the refusal");
    }
    webhooks.deleteWebhook(APIDeleteWebhookRequest.newBuilder().id(hook.getWebhook().getId()).build());
  }

  private static APIGetMessageRequest byId(UUID id) {
    return APIGetMessageRequest.newBuilder().id(id).build();
  }

  private static void check(boolean isRight, String what) {
    if (!isRight) throw new IllegalStateException("wrong: " + what);
  }
}
