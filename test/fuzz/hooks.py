"""What Schemathesis must know beside the document: values that make sense today, what it may not touch, and refusals that no schema tells."""

import os
import re
from datetime import datetime, timedelta, timezone

import schemathesis
from hypothesis import strategies as st
from schemathesis.core.failures import AcceptedNegativeData
from schemathesis.openapi.checks import RejectedPositiveData

RECEIVER = "https://127.0.0.1:9443/"  # nobody listens there, and nothing leaves this machine
KEPT_IDS = {os.environ["FUZZ_API_KEY_ID"], os.environ["FUZZ_SESSION_ID"]}

now = datetime.now(timezone.utc).replace(tzinfo=None)

# Moments that every operation takes: not before the year 2001, and not further ahead than messages can be scheduled.
schemathesis.openapi.format(
    "date-time",
    st.datetimes(min_value=datetime(2001, 1, 1), max_value=now + timedelta(days=29)).map(lambda at: at.isoformat() + "Z"),
)
schemathesis.openapi.format("uri", st.text("abcxyz019-_~.", max_size=40).map(lambda path: RECEIVER + path))

# Faults of requests that fit the schema: the rule is about something that a schema cannot see.
EXPLAINED = {
    r"\S+ must (not )?be in the future": "depends on the clock",
    r"\S+ must (be after|not be before) \S+": "depends on another field",
    r"Invalid date format": "texts without the format are sent, too, where null is allowed",
    r"Invalid country\. Must be .*": "249 of the 676 codes of two letters are countries",
    r"Email already exists": "depends on what is stored",
    r"Contact with this (phone|email) already exists": "depends on what is stored",
    r"Contact has no (phone number|e-mail address)": "depends on what is stored",
    r"Missing required field: phone or email": "depends on what is stored",
    r"Contact not found": "depends on what is stored",
    r"No contact with this tag can be reached on this channel": "depends on what is stored",
    r"Invalid or expired token": "tokens are sent by mail",
    r"[\s\S]+ must be between -\d+ and \d+; send larger numbers as strings": "numbers at any depth of free-form fields",
    r"Invalid signature": "signed by a provider",
    r"Invalid cursor": "from the page before",
    r"Invalid actor\. Must be one of: .*": "a type or an id, which are two schemas",
    r"by=hour is kept for 35 days": "depends on another field",
    r"from and to must be at most \d+ days apart": "depends on another field",
    r"Invalid verification code": "depends on the clock",
    r"Webhook URL must use HTTPS": "URLs of other answers are sent, too",
    r"frame_ancestors must be a list of at most 10 https origins, .*": "the schema tells texts that begin with https://",
    r"content\.(text|subject|template\.\S+) must be .*": "with variables, the limits are those of the text with their values",
    r"variables\.[\s\S]+ must be (a string|valid text)": "the schema tells any values",
    r"content\.template\.buttons must have one item for each index, .*": "depends on another item",
    r"Unknown field: [\s\S]+\. Did you mean \S+\?": "names that are like known ones are sent, too",
    r"allowed_addresses\[\d+\] must be an IP address .*": "the schema tells texts",
    r"spend_limit_day must be from 0 to \d+, in thousandths": "the schema tells numbers",
    r"Invalid allowed_countries\. Must be .*": "249 of the 676 codes of two letters are countries",
}

# The same, where an address is of one of several channels.
OF_A_CHANNEL = ("bulk", "preview", "send", "suppressions", "erasures")
EXPLAINED_OF_A_CHANNEL = {
    r"(Missing required field: )?recipients\[\d+\].*": "depends on the channel, and on the placeholders of the text",
    r"(Phone number must be in E\.164 format|Invalid email address)": "depends on the channel",
    r"Missing required field: fallback\[\d+\]\.to": "depends on the channel",
    r"[\d,]+ more errors are not listed": "of those",
}


def is_explained(case, response) -> bool:
    if response.status_code == 422:
        return "idempotency-key" in {name.lower() for name in case.headers or {}}  # an earlier call of this run used the key
    of_a_channel = any(word in case.path for word in OF_A_CHANNEL)
    known = [*EXPLAINED, *(EXPLAINED_OF_A_CHANNEL if of_a_channel else ())]
    details = response.json().get("details", []) if response.status_code == 400 else []
    texts = [detail["message"] for detail in details]
    return texts != [] and all(any(re.fullmatch(pattern, text) for pattern in known) for text in texts)


def tells_faults_of_rows(case, response) -> bool:
    """A preview, and a bulk send that skips them, tell the faulty recipients in their answer instead of refusing all."""
    if not case.path.endswith(("/bulk", "/preview")):
        return False
    data = response.json()["data"]
    return any(row["errors"] for row in data.get("messages", [])) or bool(data.get("batch", {}).get("errors"))


@schemathesis.hook
def filter_failure(context, failure, case, response):
    if type(failure).__name__ == "UnsupportedMethodResponse":
        return response.status_code != 404  # unknown routes and methods are 404 by the interface, never 405
    if isinstance(failure, AcceptedNegativeData):
        return not tells_faults_of_rows(case, response)
    return not (isinstance(failure, RejectedPositiveData) and is_explained(case, response))


@schemathesis.hook
def filter_case(context, case):
    """The key and the session that this run works with stay."""
    return (case.path_parameters or {}).get("id") not in KEPT_IDS


@schemathesis.hook
def map_headers(context, headers):
    """HTTP has no other characters in a header, and the client that is used here refuses to send them."""
    return {name: value for name, value in (headers or {}).items() if not isinstance(value, str) or max(map(ord, value), default=0) < 256}


@schemathesis.hook
def before_call(context, case, kwargs):
    """No webhook leads away from this machine, whatever was generated."""
    if isinstance(case.body, dict):
        url = case.body.get("url")
        if isinstance(url, str) and url.lower().lstrip().startswith("https:") and not url.startswith(RECEIVER):
            case.body["url"] = RECEIVER
