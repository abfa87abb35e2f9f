/**
 * The catalog of problem codes (RFC 9457). A code is never used again for another meaning.
 * `help` tells the reader of a problem's page what to do about it.
 */
export interface ProblemKind {
  readonly status: number
  readonly title: string
  readonly help: string
}

const catalog = {
  'error.request.malformed': {
    status: 400,
    title: 'The request is malformed',
    help: 'Compare the request with the operation in /openapi.json: a header, a path id, a field that is not known, or a value out of its format or range.',
  },
  'error.drop.malformed': {
    status: 400,
    title: 'The drop declaration is malformed',
    help: 'Take the content type from the link, give the hash as 64 lowercase hex characters, kem_ct in the length of the suite, and a file name of 1 to 255 characters without control characters.',
  },
  'error.drop.opaque_id_taken': {
    status: 400,
    title: 'This opaque id is taken',
    help: 'Make a new random 128-bit opaque_id. A link is never overwritten or revived, not even a dead one.',
  },
  'error.auth.registration_invalid': {
    status: 400,
    title: 'The registration is invalid',
    help: 'Give an e-mail address, and a secret of 12 to 1024 characters.',
  },
  'error.device.invalid': {
    status: 400,
    title: 'This device cannot be added',
    help: 'Make a new random device_id. This one is taken by a device with other values, or by one that was revoked; a device is never changed or revived.',
  },
  'error.drop.adoption_mismatch': {
    status: 400,
    title: 'The declaration is not of this drop',
    help: 'Take size and hash from the inbox entry that drop_id names.',
  },
  'error.manifest.suite_unknown': {
    status: 400,
    title: 'This crypto suite is not known',
    help: 'crypto_suite_id 1 is the only one.',
  },
  'error.manifest.invalid': {
    status: 400,
    title: 'The manifest contradicts itself',
    help: '`detail` names the field. A create continues from nothing; a replace gives original_blob_hash; an original is never longer opened than sealed.',
  },
  'error.manifest.mismatch': {
    status: 400,
    title: 'The manifest disagrees with the declaration',
    help: 'What manifest and declaration both say has to be the same. When the last chunk of a provenance blob is answered so (409), its signatures or its fields are not those of the envelope: the session is over, sign the manifest again and start a new one.',
  },
  'error.manifest.timestamp_out_of_range': {
    status: 400,
    title: 'The manifest’s timestamp is too far from now',
    help: 'Check the clock of the device, and sign anew.',
  },
  'error.upload.unsupported_content_type': {
    status: 400,
    title: 'This content type is not one of the protocol’s',
    help: 'Declare application/octet-stream; the true type belongs into the sealed header.',
  },
  'error.sync.cursor_invalid': {
    status: 400,
    title: 'This cursor is not one of the feed',
    help: 'It is malformed, or of a numbering that is no more, as after a restore. Begin again without a cursor.',
  },
  'error.upload.missing_offset': {
    status: 400,
    title: 'The chunk does not say where it starts',
    help: 'Send X-Service-Offset: the byte of the blob at which the chunk starts, a whole number.',
  },
  'error.upload.missing_checksum': {
    status: 400,
    title: 'The chunk carries no checksum',
    help: 'Send X-Service-Checksum: the SHA-256 of the chunk as 64 lowercase hex characters.',
  },
  'error.upload.empty_chunk': { status: 400, title: 'The chunk is empty', help: 'Send at least one byte.' },
  'error.federation.lifetime_too_long': {
    status: 400,
    title: 'The token would live too long',
    help: 'Ask for one that ends within 24 hours; mint another when it has ended.',
  },
  'error.request.unauthenticated': {
    status: 401,
    title: 'Sign in first',
    help: 'Send Authorization: Bearer with an access token of this server, from POST /v1/auth/login.',
  },
  'error.auth.session_expired': {
    status: 401,
    title: 'The session is over',
    help: 'Refresh the token pair, or sign in again.',
  },
  'error.auth.recovery_invalid': {
    status: 401,
    title: 'These are not the recovery words of this e-mail',
    help: 'Check both. The answer is the same for an unknown e-mail, and for an account that was registered without recovery words.',
  },
  'error.auth.invalid_credentials': {
    status: 401,
    title: 'E-mail or password is wrong',
    help: 'Check both. The answer is the same for an unknown e-mail.',
  },
  'error.auth.totp_challenge_invalid': {
    status: 401,
    title: 'This challenge is over',
    help: 'It ends after 5 minutes, after 5 tries, and with the code that was right. Sign in with the password again.',
  },
  'error.auth.totp_invalid_code': {
    status: 401,
    title: 'The code is wrong',
    help: 'Take the code that the authenticator shows now, and check the clock of its device. A code is good once: if this one has been used, wait for the next. A backup code is good once too.',
  },
  'error.request.limit_reached': {
    status: 403,
    title: 'The account has as many as it may have',
    help: '`detail` says of what. Where they can be removed, remove those that are no longer needed.',
  },
  'error.auth.registration_closed': {
    status: 403,
    title: 'Registration is not open',
    help: 'Ask the operator of this server for an invite.',
  },
  'error.account.suspended': {
    status: 403,
    title: 'This account is suspended',
    help: 'It can read and free what it holds, and write nothing. Ask the operator of this server.',
  },
  'error.blob.withheld': {
    status: 403,
    title: 'These bytes are withheld',
    help: 'They are kept, and the operator of this server has said that they are given to nobody for now. Ask the operator why.',
  },
  'error.album.not_available': {
    status: 403,
    title: 'This album is not yours',
    help: 'List your albums. To make one, choose a new random album_id.',
  },
  'error.device.not_authorized': {
    status: 403,
    title: 'This device may not write for you',
    help: 'created_by_user has to be the caller, and created_by_device a device of the caller’s that is not revoked.',
  },
  'error.drop.passphrase_required': {
    status: 403,
    title: 'The link asks for its passphrase',
    help: 'Derive passphrase_proof from the passphrase that the owner told you. The passphrase itself is never sent.',
  },
  'error.drop.links_exhausted': {
    status: 403,
    title: 'Too many live links',
    help: 'Revoke links that are no longer needed.',
  },
  'error.quota.exceeded': {
    status: 403,
    title: 'The storage of the receiving account is full',
    help: 'The owner has to free space or ask the operator for more.',
  },
  'error.request.not_found': {
    status: 404,
    title: 'There is nothing here',
    help: 'See /openapi.json for what this server answers.',
  },
  'error.device.not_found': {
    status: 404,
    title: 'No such device',
    help: 'List your devices: it never was, or is not yours.',
  },
  'error.upload.session_not_found': {
    status: 404,
    title: 'No such upload session',
    help: 'It never was, is not this link’s or this account’s, was cancelled, or ran out. Start a new one.',
  },
  'error.drop.link_not_found': {
    status: 404,
    title: 'This link takes no files',
    help: 'It never was, is mistyped, expired, used up or withdrawn. Ask the person who sent it for a new one.',
  },
  'error.drop.not_found': {
    status: 404,
    title: 'No such drop',
    help: 'List the inbox: it was adopted, discarded, is held by an adoption, or never was yours.',
  },
  'error.asset.not_found': {
    status: 404,
    title: 'No such asset',
    help: 'It never was, holds nothing yet, was deleted, or is not yours.',
  },
  'error.storage.asset_not_found': {
    status: 404,
    title: 'No receipts of such an asset',
    help: 'The asset never was, holds nothing yet, was deleted, or is not yours.',
  },
  'error.blob.not_found': {
    status: 404,
    title: 'No such blob',
    help: 'No live asset of yours holds it.',
  },
  'error.share.not_found': {
    status: 404,
    title: 'There is no such share, or nothing of it here',
    help: 'It never was, is mistyped, expired or withdrawn, or what it showed was deleted. Ask the person who sent it for a new one.',
  },
  'error.request.method_not_allowed': {
    status: 405,
    title: 'This path has no such method',
    help: 'The Allow header names those that it has.',
  },
  'error.auth.user_already_exists': {
    status: 409,
    title: 'This e-mail is registered',
    help: 'Sign in, or register with another address.',
  },
  'error.auth.totp_already_active': {
    status: 409,
    title: 'A second factor is on',
    help: 'Disable it before enrolling another.',
  },
  'error.auth.totp_not_pending': {
    status: 409,
    title: 'No second factor waits to be confirmed',
    help: 'Enroll first. If one is confirmed and its backup codes were not received, disable it and enroll again.',
  },
  'error.auth.totp_not_enrolled': {
    status: 409,
    title: 'No second factor is on',
    help: 'There is nothing to disable.',
  },
  'error.upload.checksum_mismatch': {
    status: 409,
    title: 'The chunk’s bytes do not match its checksum',
    help: 'Send the chunk again from X-Service-Offset. If it happens often, the line or the file’s disk is at fault.',
  },
  'error.upload.offset_mismatch': {
    status: 409,
    title: 'The chunk does not start where the last one ended',
    help: 'Go on at X-Service-Offset.',
  },
  'error.upload.chunk_conflict': {
    status: 409,
    title: 'Another chunk is recorded at this offset',
    help: 'The bytes differ from those acknowledged before: the file has changed. Start a new session with a new key.',
  },
  'error.upload.size_exceeded': {
    status: 409,
    title: 'The chunk goes past the declared size',
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
    help: 'It takes no more chunks. If it has landed, its receipt can be fetched.',
  },
  'error.upload.content_hash_mismatch': {
    status: 409,
    title: 'The bytes are not those declared',
    help: 'The whole does not hash to ciphertext_hash. Nothing was kept; start a new session.',
  },
  'error.asset.id_taken': {
    status: 409,
    title: 'This place is taken',
    help: 'Another blob holds this role of the asset, or is on its way to it, or the id is another account’s or was deleted. Choose a new random asset id, or replace the original.',
  },
  'error.asset.retained': {
    status: 409,
    title: 'The asset may not be deleted yet',
    help: 'Its manifest says until when it is kept: retention_until. An account that keeps it cannot be deleted before then either.',
  },
  'error.manifest.stale': {
    status: 409,
    title: 'The manifest does not continue what is there',
    help: 'Read the asset: its original, album and the hash of its provenance have changed, or there is nothing to replace; or its original and provenance differ in amk_version, key_mode, plaintext_size, chunk_size or retention_until; or a provenance comes before its original and gives no original_blob_hash. Write the manifest anew.',
  },
  'error.drop.cap_exhausted': {
    status: 409,
    title: 'The link is full',
    help: 'Its files or bytes are used up or reserved by uploads under way. Wait, or ask the owner for a new link.',
  },
  'error.request.payload_too_large': {
    status: 413,
    title: 'The request is too large',
    help: 'Send a smaller body. This answer has no body of its own.',
  },
  'error.drop.file_too_large': {
    status: 413,
    title: 'The file is larger than the link accepts',
    help: 'The member `limit` tells the largest size of a sealed file in bytes.',
  },
  'error.upload.file_too_large': {
    status: 413,
    title: 'The file is larger than the server takes',
    help: 'The member `limit` tells the largest size of a sealed file in bytes.',
  },
  'error.request.unsupported_media_type': {
    status: 415,
    title: 'This content type is not taken here',
    help: 'Send application/json, or application/octet-stream for a chunk.',
  },
  'error.request.range_not_satisfiable': {
    status: 416,
    title: 'The range lies outside the content',
    help: 'Content-Range tells the length.',
  },
  'error.request.unprocessable': {
    status: 422,
    title: 'A field is missing or of the wrong type',
    help: 'Compare the body with the operation in /openapi.json; `detail` names the field.',
  },
  'error.protocol.version_unsupported': {
    status: 426,
    title: 'This protocol version is not accepted',
    help: 'X-Service-Protocol-Min and -Max tell the window; update the client.',
  },
  'error.auth.rate_limited': {
    status: 429,
    title: 'Too many attempts',
    help: 'Wait as long as Retry-After says.',
  },
  'error.drop.rate_limited': {
    status: 429,
    title: 'Too many uploads or passphrases on this link',
    help: 'Wait as long as Retry-After says.',
  },
  'error.request.failed': {
    status: 500,
    title: 'The server failed',
    help: 'Try again. If it stays so, tell the operator the request id.',
  },
  'error.storage.unavailable': {
    status: 500,
    title: 'The server can store nothing now',
    help: 'Its disk is full or broken. Nothing acknowledged is lost; try again later.',
  },
  'error.federation.revocations_unavailable': {
    status: 503,
    title: 'The list of revoked tokens cannot be read',
    help: 'Treat every token as not checked and try again.',
  },
} as const satisfies Record<`error.${string}`, ProblemKind>

export type ProblemCode = keyof typeof catalog
export const PROBLEMS: Readonly<Record<ProblemCode, ProblemKind>> = catalog

export const PROBLEM_CODES = Object.keys(catalog) as readonly ProblemCode[]

/** `type` of a problem: the path of the page that the server serves for the code. */
export function problemType(code: ProblemCode): string {
  return `/problems/${code}`
}
