/** The catalog of problem codes (RFC 9457). A code keeps its meaning. `help`, on its page, says what to do. */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  readonly help: string
}

const catalog = {
  'error.request.malformed': {
    status: 400,
    title: 'The request is malformed',
    help: 'Compare the request with the operation in /openapi.json. A header or an id in the path is malformed, a field is unknown, or a value is out of its format or range.',
  },
  'error.drop.malformed': {
    status: 400,
    title: 'The drop declaration is malformed',
    help: 'Use the content type of the link, a hash of 64 lowercase hex characters, a kem_ct of the suite’s length, and a file name of 1 to 255 characters without control characters.',
  },
  'error.drop.opaque_id_taken': {
    status: 400,
    title: 'This opaque id is taken',
    help: 'Generate a new random 128-bit opaque_id. The id of a link is never used again, even after the link has ended.',
  },
  'error.auth.registration_invalid': {
    status: 400,
    title: 'The registration is invalid',
    help: 'Send a plain e-mail address and the members that `detail` names.',
  },
  'error.device.invalid': {
    status: 400,
    title: 'This device cannot be added',
    help: 'Generate a new random device_id. This one belongs to a device with other values or to a revoked device. A device never changes, and a revoked one stays revoked.',
  },
  'error.passkey.invalid': {
    status: 400,
    title: 'This passkey cannot be added',
    help: 'Generate a new random passkey_id: this one belongs to a passkey with other values.',
  },
  'error.drop.adoption_mismatch': {
    status: 400,
    title: 'The declaration does not match the drop',
    help: 'Use the size and hash of the drop’s inbox entry.',
  },
  'error.manifest.suite_unknown': {
    status: 400,
    title: 'This crypto suite is unknown',
    help: 'Use crypto_suite_id 1, the only suite.',
  },
  'error.manifest.invalid': {
    status: 400,
    title: 'The manifest contradicts itself',
    help: '`detail` names the field. A create has no predecessor; a replace gives original_blob_hash; the plaintext of an original is not longer than its ciphertext.',
  },
  'error.manifest.mismatch': {
    status: 400,
    title: 'The manifest disagrees with the declaration',
    help: 'The manifest and the declaration must have the same values in the fields that they share. If the last chunk gets this answer (409), the session is over: the device was revoked meanwhile, or the signatures or fields of a provenance blob do not match the envelope. Sign the manifest again, with a live device, and start a new session.',
  },
  'error.manifest.timestamp_out_of_range': {
    status: 400,
    title: 'The manifest’s timestamp is too far from now',
    help: 'Check the clock of the device and sign again.',
  },
  'error.manifest.retention_too_long': {
    status: 422,
    title: 'The manifest retains the file for longer than this server accepts',
    help: 'Sign a manifest with an earlier retention_until, or with none. `limits.retention_days` of the server facts states how many days from now are accepted.',
  },
  'error.upload.unsupported_content_type': {
    status: 400,
    title: 'The protocol does not have this content type',
    help: 'Declare application/octet-stream. Put the true type into the sealed header.',
  },
  'error.sync.cursor_invalid': {
    status: 400,
    title: 'The cursor is invalid',
    help: 'It is malformed, or it is from before the server was restored from a backup. Start again without a cursor.',
  },
  'error.upload.missing_offset': {
    status: 400,
    title: 'The chunk has no offset',
    help: 'Send X-Service-Offset: the byte of the blob at which the chunk starts, as a whole number.',
  },
  'error.upload.missing_checksum': {
    status: 400,
    title: 'The chunk has no checksum',
    help: 'Send X-Service-Checksum: the SHA-256 of the chunk as 64 lowercase hex characters.',
  },
  'error.upload.empty_chunk': { status: 400, title: 'The chunk is empty', help: 'Send at least one byte.' },
  'error.channel.invalid': {
    status: 400,
    title: 'No message can be sent there',
    help: '`detail` says what is wrong. Use the whole https URL of a webhook or of an ntfy topic, a plain e-mail address, or the endpoint and keys of a browser’s subscription.',
  },
  'error.channel.code_wrong': {
    status: 400,
    title: 'This is not the code of the address',
    help: 'Use the code of the newest message. A test of the channel sends it once more.',
  },
  'error.federation.lifetime_too_long': {
    status: 400,
    title: 'The lifetime of the token is too long',
    help: 'Request a token that ends within 24 hours. Mint another when it ends.',
  },
  'error.request.unauthenticated': {
    status: 401,
    title: 'Sign in first',
    help: 'Send Authorization: Bearer with an access token from POST /v1/auth/login of this server.',
  },
  'error.auth.session_expired': {
    status: 401,
    title: 'The session is over',
    help: 'Refresh the token pair, or sign in again.',
  },
  'error.auth.recovery_invalid': {
    status: 401,
    title: 'E-mail or recovery words are wrong',
    help: 'Check both. An unknown e-mail and an account without recovery words get the same answer.',
  },
  'error.auth.invalid_credentials': {
    status: 401,
    title: 'E-mail or password is wrong',
    help: 'Check both. An unknown e-mail gets the same answer, and so does a passkey that was removed.',
  },
  'error.auth.proof_invalid': {
    status: 401,
    title: 'The proof is not valid',
    help: 'Get a new nonce from POST /v1/auth/nonce, which is good for 5 minutes, and sign this request for this server with it. docs/formats.md has the bytes that are signed; server_id of the server facts is the name that they contain.',
  },
  'error.auth.totp_challenge_invalid': {
    status: 401,
    title: 'This challenge is over',
    help: 'A challenge ends after 5 minutes, after 5 attempts, or with the right code. Sign in with the password again.',
  },
  'error.auth.totp_invalid_code': {
    status: 401,
    title: 'The code is wrong',
    help: 'Use the code that the authenticator shows now, and check the clock of its device. Each code works once: if this one was used, wait for the next. A backup code works once too.',
  },
  'error.request.limit_reached': {
    status: 403,
    title: 'The account has reached a limit',
    help: '`detail` names the limit. If possible, remove items that are no longer needed.',
  },
  'error.auth.registration_closed': {
    status: 403,
    title: 'Registration is not open',
    help: 'Ask the operator of this server for an invite.',
  },
  'error.account.suspended': {
    status: 403,
    title: 'This account is suspended',
    help: 'It can read and delete, but not write. Ask the operator of this server.',
  },
  'error.blob.withheld': {
    status: 403,
    title: 'These bytes are withheld',
    help: 'The operator of this server withholds them. They are not deleted. Ask the operator why.',
  },
  'error.channel.not_offered': {
    status: 403,
    title: 'This server sends no messages of this kind',
    help: '`offered` in the list of channels says which kinds it sends. The operator decides (NOTIFY).',
  },
  'error.album.not_available': {
    status: 403,
    title: 'This album is not yours',
    help: 'List your albums. To make one, choose a new random album_id.',
  },
  'error.device.not_authorized': {
    status: 403,
    title: 'This device may not act for you',
    help: 'created_by_user must be the caller, and created_by_device a device of the caller that is not revoked. A sign-in or a session cannot name a revoked device either: name another one, or none.',
  },
  'error.drop.passphrase_required': {
    status: 403,
    title: 'The link needs a passphrase',
    help: 'Derive passphrase_proof from the passphrase that the owner gave you. Never send the passphrase itself.',
  },
  'error.share.passphrase_required': {
    status: 403,
    title: 'The share needs a passphrase',
    help: 'Send X-Service-Passphrase-Proof, derived from the passphrase that the owner gave you and the key in the address. Never send the passphrase itself.',
  },
  'error.drop.links_exhausted': {
    status: 403,
    title: 'Too many live links',
    help: 'Revoke links that are no longer needed.',
  },
  'error.quota.exceeded': {
    status: 403,
    title: 'The storage of the receiving account is full',
    help: 'The owner can delete files or ask the operator for more space.',
  },
  'error.request.not_found': {
    status: 404,
    title: 'There is nothing here',
    help: '/openapi.json lists the paths of this server.',
  },
  'error.auth.session_not_found': {
    status: 404,
    title: 'No such session',
    help: 'The session has ended, or is not yours. List your sessions.',
  },
  'error.device.not_found': {
    status: 404,
    title: 'No such device',
    help: 'The device does not exist or is not yours. List your devices.',
  },
  'error.passkey.not_found': {
    status: 404,
    title: 'No such passkey',
    help: 'The passkey was removed, or is not yours. List your passkeys.',
  },
  'error.channel.not_found': {
    status: 404,
    title: 'There is no such channel',
    help: 'List the channels again.',
  },
  'error.upload.session_not_found': {
    status: 404,
    title: 'No such upload session',
    help: 'The session does not exist, belongs to another link or account, was cancelled, or expired. Start a new one.',
  },
  'error.drop.link_not_found': {
    status: 404,
    title: 'This link takes no files',
    help: 'The link is unknown, mistyped, expired, used up or revoked. Ask the person who sent it for a new one.',
  },
  'error.drop.not_found': {
    status: 404,
    title: 'No such drop',
    help: 'The drop was adopted or discarded, an adoption of it is running, it does not exist, or it is not yours. List the inbox.',
  },
  'error.bin.not_found': {
    status: 404,
    title: 'It is not in the bin',
    help: 'Its time is over, the bin was emptied, it never was in the bin, or it is not yours. List the bin.',
  },
  'error.asset.not_found': {
    status: 404,
    title: 'No such asset',
    help: 'The asset does not exist, has no blobs yet, was deleted, or is not yours.',
  },
  'error.storage.asset_not_found': {
    status: 404,
    title: 'No receipts for such an asset',
    help: 'The asset does not exist, has no blobs yet, was deleted, or is not yours.',
  },
  'error.blob.not_found': {
    status: 404,
    title: 'No such blob',
    help: 'None of your assets has this blob.',
  },
  'error.share.not_found': {
    status: 404,
    title: 'No such share, or no such file in it',
    help: 'The address is unknown or mistyped, the share expired or was deleted, or its files were deleted. Ask the person who sent it for a new one.',
  },
  'error.request.method_not_allowed': {
    status: 405,
    title: 'This path has no such method',
    help: 'The Allow header lists the methods of this path.',
  },
  'error.request.too_slow': {
    status: 408,
    title: 'The request is too slow',
    help: 'A body has to bring 1 KiB a second and may pause for up to a minute. Nothing of this request was kept: send it again. An upload goes on at its last acknowledged byte.',
  },
  'error.auth.user_already_exists': {
    status: 409,
    title: 'This e-mail is registered',
    help: 'Sign in, or register with another address.',
  },
  'error.auth.session_bound': {
    status: 409,
    title: 'This session is tied to another device',
    help: 'A session stays tied to its first device. Sign in again to use another.',
  },
  'error.auth.totp_already_active': {
    status: 409,
    title: 'A second factor is already on',
    help: 'Disable it before you enroll another.',
  },
  'error.auth.totp_not_pending': {
    status: 409,
    title: 'No second factor waits for confirmation',
    help: 'Enroll first. If a factor is confirmed but its backup codes did not arrive, disable it and enroll again.',
  },
  'error.auth.totp_not_enrolled': {
    status: 409,
    title: 'No second factor is on',
    help: 'There is nothing to disable.',
  },
  'error.upload.checksum_mismatch': {
    status: 409,
    title: 'The chunk’s bytes do not match its checksum',
    help: 'Send the chunk again from X-Service-Offset. If this happens often, check the network and the disk with the file.',
  },
  'error.upload.offset_mismatch': {
    status: 409,
    title: 'The chunk does not start where the last one ended',
    help: 'Continue at X-Service-Offset.',
  },
  'error.upload.chunk_conflict': {
    status: 409,
    title: 'Another chunk is recorded at this offset',
    help: 'The bytes differ from the acknowledged ones: the file has changed. Start a new session with a new key.',
  },
  'error.upload.size_exceeded': {
    status: 409,
    title: 'The chunk ends after the declared size',
    help: 'The file has grown since it was declared. Start a new session.',
  },
  'error.upload.too_many_chunks': {
    status: 409,
    title: 'Too many chunks in this session',
    help: 'Start a new session and send larger chunks.',
  },
  'error.upload.session_closed': {
    status: 409,
    title: 'The session is over',
    help: 'It accepts no more chunks. If it has landed, fetch its receipt.',
  },
  'error.upload.content_hash_mismatch': {
    status: 409,
    title: 'The bytes do not match the declared hash',
    help: 'The SHA-256 of the whole file is not ciphertext_hash. Nothing was kept. Start a new session.',
  },
  'error.asset.id_taken': {
    status: 409,
    title: 'This asset id or role is taken',
    help: 'Another blob has this role of the asset or is being uploaded for it, or the id belongs to a deleted asset or another account. Choose a new random asset id, or replace the original.',
  },
  'error.album.not_empty': {
    status: 409,
    title: 'The album has files',
    help: 'Delete its files, and cancel the uploads that are on their way to it.',
  },
  'error.asset.retained': {
    status: 409,
    title: 'The asset may not be deleted yet',
    help: 'Wait until its retained_until. Its account cannot be deleted before then either.',
  },
  'error.manifest.stale': {
    status: 409,
    title: 'The manifest does not continue what is there',
    help: 'Read the asset and write a new manifest. Its original, album or provenance hash has changed; or there is nothing to replace; or the metadata that a replacing provenance names are not there; or original and provenance differ in amk_version, key_mode, plaintext_size, chunk_size or retention_until; or a provenance comes before its original and gives no original_blob_hash.',
  },
  'error.share.changed': {
    status: 409,
    title: 'The share shows something else by now',
    help: 'Another client has changed it. Read it, work out its contents again, and send the hash of the index that it has now.',
  },
  'error.drop.cap_below_use': {
    status: 409,
    title: 'The link has used more than this limit',
    help: 'Landed and running uploads of the link count. Choose a limit of at least as much, or revoke the link.',
  },
  'error.drop.cap_exhausted': {
    status: 409,
    title: 'The link is full',
    help: 'Landed and running uploads use all of its files or bytes. Wait, or ask the owner for a new link.',
  },
  'error.drop.inbox_full': {
    status: 409,
    title: 'The inbox behind the link is full',
    help: 'Too many files wait there. Send again when the owner has taken some of them out. Another link of the same owner may have places of its own.',
  },
  'error.server.moved': {
    status: 410,
    title: 'The server has moved to another address',
    help: 'moved_to names the present address. Send nothing there because of this answer alone: owners follow with `blindkeep move`, guests open their link again.',
  },
  'error.request.payload_too_large': {
    status: 413,
    title: 'The request is too large',
    help: 'Send a smaller body. This answer has no body of its own.',
  },
  'error.drop.file_too_large': {
    status: 413,
    title: 'The file is larger than the link accepts',
    help: 'The member `limit` is the largest size of a sealed file in bytes.',
  },
  'error.upload.file_too_large': {
    status: 413,
    title: 'The file is larger than the server accepts',
    help: 'The member `limit` is the largest size of a sealed file in bytes.',
  },
  'error.request.unsupported_media_type': {
    status: 415,
    title: 'This content type is not accepted here',
    help: 'Send application/json, or application/octet-stream for a chunk.',
  },
  'error.request.range_not_satisfiable': {
    status: 416,
    title: 'The range is outside the content',
    help: 'Content-Range gives the length.',
  },
  'error.request.misdirected': {
    status: 421,
    title: 'This server does not answer for this host',
    help: 'Use the address that the operator of the server gave you. Operators: PUBLIC_URL must be the address that clients use, or TRUST_PROXY must name the proxy that sends another Host.',
  },
  'error.request.unprocessable': {
    status: 422,
    title: 'A field is missing, of the wrong type, or a time that has passed',
    help: 'Compare the body with the operation in /openapi.json; `detail` names the field.',
  },
  'error.protocol.version_unsupported': {
    status: 426,
    title: 'This protocol version is not accepted',
    help: 'Update the client. X-Service-Protocol-Min and -Max give the accepted versions.',
  },
  'error.request.rate_limited': {
    status: 429,
    title: 'The account asks for too much for now',
    help: 'Wait for the seconds in Retry-After: too many of its lists wait to be read, or it has added as much as it may. Each session has a share of what an account may add in a day, so another sign-in helps.',
  },
  'error.channel.rate_limited': {
    status: 429,
    title: 'Too many tests or codes',
    help: 'Wait for the seconds in Retry-After.',
  },
  'error.auth.rate_limited': {
    status: 429,
    title: 'Too many attempts',
    help: 'Wait for the seconds in Retry-After.',
  },
  'error.drop.rate_limited': {
    status: 429,
    title: 'Too many uploads or passphrases on this link',
    help: 'Wait for the seconds in Retry-After.',
  },
  'error.share.used_up': {
    status: 410,
    title: 'The downloads of the share are used up',
    help: 'Its owner has limited them. Ask the owner for another download.',
  },
  'error.share.rate_limited': {
    status: 429,
    title: 'Too many passphrases on this share',
    help: 'Wait for the seconds in Retry-After.',
  },
  'error.request.failed': {
    status: 500,
    title: 'The server failed',
    help: 'Try again. If it fails again, give the operator the request id.',
  },
  'error.request.overloaded': {
    status: 500,
    title: 'The server is busy',
    help: 'Too many requests are on their way at once. Nothing was kept of this one. Wait for the seconds in Retry-After, and send it again.',
  },
  'error.storage.unavailable': {
    status: 500,
    title: 'The storage is not available',
    help: 'The server cannot read or write its storage now. Try again later. If it stays so for one file alone, the operator has to look at that file.',
  },
  'error.storage.full': {
    status: 500,
    title: 'The storage is full',
    help: 'The disk of the server has no room for this. What was acknowledged stays. Try again later, an upload from where it stopped: the operator has to make room first.',
  },
  'error.federation.revocations_unavailable': {
    status: 503,
    title: 'The list of revoked tokens cannot be read',
    help: 'Treat every token as unchecked and try again.',
  },
} as const satisfies Record<`error.${string}`, ProblemKind>

export type ProblemCode = keyof typeof catalog
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = catalog

export const PROBLEM_CODES = Object.keys(catalog) as readonly ProblemCode[]

/** `type` of a problem: the path of the page that the server serves for the code. */
export function problemType(code: ProblemCode): string {
  return `/problems/${code}`
}
