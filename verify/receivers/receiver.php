<?php
// Receives webhooks, PHP 8. WEBHOOK_SECRETS holds one secret, or several while one replaces another.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;
const KEY_BYTES_MIN = 16;

function is_ours(string $body, array $keys): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > TOLERANCE_SECONDS) {
        return false;
    }
    $given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    foreach ($keys as $key) {
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
        foreach ($given as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
    }
    return false;
}

// PHP would answer 200 when the handler throws and errors are displayed. Until the event is handled, the answer is 500, so that it comes again.
ini_set('display_errors', '0');
http_response_code(500);
// Without this check an empty variable would be a key that everybody knows.
$keys = [];
foreach (preg_split('/ +/', (string) getenv('WEBHOOK_SECRETS'), -1, PREG_SPLIT_NO_EMPTY) as $secret) {
    $keys[] = (string) base64_decode(preg_replace('/^whsec_/', '', $secret), true);
}
if ($keys === [] || min(array_map('strlen', $keys)) < KEY_BYTES_MIN) {
    error_log('Set WEBHOOK_SECRETS to the whole secret of the webhook: whsec_...');
    exit;
}
$body = file_get_contents('php://input');
if (!is_ours($body, $keys)) {
    error_log('refused: no signature of WEBHOOK_SECRETS, or a timestamp more than 300 s from now');
    http_response_code(403);
    exit;
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
// Write $_SERVER['HTTP_WEBHOOK_ID'] into a unique column in the transaction that handles the event: it may come more than once.
error_log("{$event['event']} " . ($event['data']['message_id'] ?? ''));
http_response_code(200);
