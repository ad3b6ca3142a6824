#!/usr/bin/python3
"""A back end's part in signed tokens: it makes a key, and signs tokens with it (rule J23 in Protocol/README.md).

    deploy/tokens.py keygen issuer.pem keys.json         # the private key stays here, the daemon gets the public one
    baized --token-keys keys.json --token-issuer my-app --token-audience tables
    deploy/tokens.py sign issuer.pem ann 'board-*'       # prints a token for Ann, valid for ten minutes

An app calls `sign` where it knows who asks, and answers with the token. It needs `cryptography` (Debian: python3-cryptography).
"""
import argparse
import base64
import json
import os
import time
import uuid

from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

ISSUER = "my-app"
AUDIENCE = "tables"
SECONDS = 600


def encoded(data):
    """Base64url without padding, as text."""
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def keygen(path, public_path):
    """Writes a new private key, which only its owner may read, and the public one as a JWK set, beside those that are there."""
    keys = []
    if os.path.exists(public_path):
        with open(public_path) as file:
            keys = json.load(file)["keys"]
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(secret)
    public = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    keys.append({"kty": "OKP", "crv": "Ed25519", "alg": "EdDSA", "use": "sig", "kid": key_id(public), "x": encoded(public)})
    with open(public_path + ".new", "w") as file:
        json.dump({"keys": keys}, file)
    os.replace(public_path + ".new", public_path)


def key_id(public):
    return encoded(public)[:8]


def load(path):
    with open(path, "rb") as file:
        return serialization.load_pem_private_key(file.read(), password=None)


def sign(key, subject, tables, role="player", seat=None, name=None, seconds=SECONDS, now=None):
    """Returns a token with which `subject` may come to `tables`."""
    public = key.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    rights = {"tables": tables, "role": role}
    if seat is not None:
        rights["seat"] = seat
    if name is not None:
        rights["name"] = name
    claims = {
        "iss": ISSUER, "aud": AUDIENCE, "sub": subject, "jti": uuid.uuid4().hex,
        "exp": int(time.time() if now is None else now) + seconds, "baize": rights,
    }
    header = {"alg": "EdDSA", "typ": "JWT", "kid": key_id(public)}
    message = ".".join(encoded(json.dumps(part).encode()) for part in (header, claims))
    return message + "." + encoded(key.sign(message.encode()))


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("keygen", help="makes a key, and adds what the daemon needs of it to a file")
    make.add_argument("key")
    make.add_argument("keys")
    signing = commands.add_parser("sign", help="prints a token")
    signing.add_argument("key")
    signing.add_argument("subject")
    signing.add_argument("tables", nargs="+")
    signing.add_argument("--role", choices=["player", "viewer"], default="player")
    signing.add_argument("--seat", type=int)
    signing.add_argument("--name")
    signing.add_argument("--seconds", type=int, default=SECONDS)
    arguments = parser.parse_args()
    if arguments.command == "keygen":
        keygen(arguments.key, arguments.keys)
    else:
        print(sign(
            load(arguments.key), arguments.subject, arguments.tables, arguments.role, arguments.seat, arguments.name,
            arguments.seconds))


if __name__ == "__main__":
    main()
