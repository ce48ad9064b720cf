<?php
// Receives webhooks, PHP 8. WEBHOOK_SECRETS holds one secret, or several while one replaces another.
declare(strict_types=1);

const TOLERANCE_SECONDS = 300;

function is_ours(string $body, array $secrets): bool
{
    $id = $_SERVER['HTTP_WEBHOOK_ID'] ?? '';
    $sentAt = $_SERVER['HTTP_WEBHOOK_TIMESTAMP'] ?? '';
    if (!ctype_digit($sentAt) || abs(time() - (int) $sentAt) > TOLERANCE_SECONDS) {
        return false;
    }
    $given = explode(' ', $_SERVER['HTTP_WEBHOOK_SIGNATURE'] ?? '');
    foreach ($secrets as $secret) {
        $key = base64_decode(preg_replace('/^whsec_/', '', $secret), true);
        $expected = 'v1,' . base64_encode(hash_hmac('sha256', "$id.$sentAt.$body", $key, true));
        foreach ($given as $signature) {
            if (hash_equals($expected, $signature)) {
                return true;
            }
        }
    }
    return false;
}

$body = file_get_contents('php://input');
if (!is_ours($body, explode(' ', (string) getenv('WEBHOOK_SECRETS')))) {
    error_log('refused: no signature of WEBHOOK_SECRETS, or a timestamp more than 300 s from now');
    http_response_code(403);
    exit;
}
$event = json_decode($body, true, flags: JSON_THROW_ON_ERROR);
// Write $_SERVER['HTTP_WEBHOOK_ID'] into a unique column in the transaction that handles the event: it may come more than once.
error_log("{$event['event']} " . ($event['data']['message_id'] ?? ''));
