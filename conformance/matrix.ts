/**
 * Authorization: the answer of every operation to each kind of caller. It is written by hand, apart from the server's
 * own table, so that `matrix.test.ts` detects an operation that mistakenly lets in too many.
 */

/** In the order of the requests to an account's operations: the granted callers come last. */
export const CALLERS = [
  /** No credential; for the operations of a link, an unknown opaque id. */
  'none',
  /** A live link and no token. For the operations of an account: the opaque id in place of a token. */
  'guest',
  /** An expired token of the owner. */
  'expired',
  /** A token of a session that was logged out. */
  'ended',
  /** A token of a session whose device was revoked. */
  'revoked',
  /** A token of a deleted account. */
  'deleted',
  /** Another account, with a link of its own. */
  'other',
  'owner',
  /** An owner that the operator has suspended, or a guest with a link of that owner. */
  'suspended',
] as const
export type Caller = (typeof CALLERS)[number]

export interface Entry {
  readonly asks: 'nothing' | 'link' | 'account'
  /** The answer to the right credential, for the caller's own data. */
  readonly granted: string
  /** The answer to another account about the owner's data; absent when the operation names only the caller's own. */
  readonly other?: string
  /** For the operation of a link: the common answer when the link, session or share does not exist. */
  readonly hidden?: string
  /** For a suspended account, which reads and deletes but does not write. A link's: `hidden` by default. */
  readonly suspended?: string
}

const NO_TOKEN = '401 request.unauthenticated'
const OVER = '401 auth.session_expired'

/** The answer of an entry to one caller: `200`, or `404 asset.not_found`. */
export function answerTo(caller: Caller, { asks, granted, other, hidden = 'none', suspended }: Entry): string {
  if (asks === 'nothing') return granted
  if (asks === 'link') {
    if (caller === 'none') return hidden
    if (caller === 'suspended') return suspended ?? hidden
    // The link is the credential: the server ignores Authorization.
    return caller === 'other' ? (other ?? granted) : granted
  }
  switch (caller) {
    case 'none':
    case 'guest':
      return NO_TOKEN
    case 'expired':
    case 'ended':
    case 'revoked':
    case 'deleted':
      return OVER
    case 'other':
      return other ?? granted
    case 'suspended':
      return suspended ?? granted
    case 'owner':
      return granted
  }
}

const open = (granted: string): Entry => ({ asks: 'nothing', granted })
const link = (granted: string, hidden: string, more: Partial<Entry> = {}): Entry => ({
  asks: 'link',
  granted,
  hidden,
  ...more,
})
const reads = (granted: string, other?: string): Entry => ({
  asks: 'account',
  granted,
  ...(other === undefined ? {} : { other }),
})
/** Deletes or ends something, so a suspended account may do it. */
const frees = reads
const writes = (granted: string, other?: string): Entry => ({
  ...reads(granted, other),
  suspended: '403 account.suspended',
})

const NO_ASSET = '404 asset.not_found'
const NO_ENTRY = '404 bin.not_found'
const NO_BLOB = '404 blob.not_found'
const NO_DROP = '404 drop.not_found'
const NO_LINK = '404 drop.link_not_found'
const NO_SESSION = '404 upload.session_not_found'
const NO_SHARE = '404 share.not_found'
const OTHER_ALBUM = '403 album.not_available'
/** The answer is the same whether or not the caller had something to end. Data of another account stays. */
const NOTHING_ENDED = '204'
/** Through another link, a session does not exist. */
const THROUGH_ANOTHER = { other: NO_SESSION }

/** By `METHOD path`, in the order of the requests: operations that end a session or account come last. */
export const MATRIX: Readonly<Record<string, Entry>> = {
  'GET /.well-known/service/attestation-keys': open('200'),
  'HEAD /.well-known/service/attestation-keys': open('200'),
  'GET /.well-known/service/deprecation': open('200'),
  'HEAD /.well-known/service/deprecation': open('200'),
  'GET /.well-known/service/moves': open('200'),
  'HEAD /.well-known/service/moves': open('200'),
  'GET /.well-known/service/revoked-jti': open('200'),
  'HEAD /.well-known/service/revoked-jti': open('200'),
  'GET /.well-known/service/server-info': open('200'),
  'HEAD /.well-known/service/server-info': open('200'),
  'GET /v1/version': open('200'),
  'HEAD /v1/version': open('200'),
  'GET /v1/site': open('200'),
  'HEAD /v1/site': open('200'),
  'GET /openapi.json': open('200'),
  'HEAD /openapi.json': open('200'),
  'GET /openapi-3.1.json': open('200'),
  'HEAD /openapi-3.1.json': open('200'),
  'GET /healthz': open('200'),
  'HEAD /healthz': open('200'),
  'GET /readyz': open('200'),
  'HEAD /readyz': open('200'),
  'GET /problems/{code}': open('200'),
  'HEAD /problems/{code}': open('200'),

  'POST /v1/auth/nonce': open('200'),
  'POST /v1/auth/register': open('201'),
  'POST /v1/auth/kdf': open('200'),
  'POST /v1/auth/login': open('200'),
  'POST /v1/auth/passkey/login': open('200'),
  'POST /v1/auth/refresh': open('200'),
  // The credential is in the body, and here it is wrong.
  'POST /v1/auth/login/verify-totp': open('401 auth.totp_challenge_invalid'),
  'POST /v1/auth/recover/start': open('200'),
  'POST /v1/auth/recover/finish': open('401 auth.recovery_invalid'),

  'GET /d/{opaque_id}': link('200', NO_LINK),
  'POST /d/{opaque_id}': link('201', NO_LINK),
  'POST /d/{opaque_id}/link/refusals': link('204', NO_LINK),
  'PATCH /d/{opaque_id}/{upload_id}': link('204', NO_SESSION, THROUGH_ANOTHER),
  'HEAD /d/{opaque_id}/{upload_id}': link('200', NO_SESSION, THROUGH_ANOTHER),
  'DELETE /d/{opaque_id}/{upload_id}': link('204', NO_SESSION, THROUGH_ANOTHER),
  // The guest keeps access to the receipt, whatever happens to the link and its owner.
  'GET /d/{opaque_id}/{upload_id}/receipt': link('200', NO_SESSION, { ...THROUGH_ANOTHER, suspended: '200' }),
  'GET /s/{opaque_id}': link('200', NO_SHARE),
  'GET /s/{opaque_id}/blob/{hash}': link('200', NO_SHARE),
  'HEAD /s/{opaque_id}/blob/{hash}': link('200', NO_SHARE),

  'GET /v1/account': reads('200'),
  'GET /v1/auth/sessions': reads('200'),
  'POST /v1/auth/sessions/current/device': reads('204', '404 device.not_found'),
  'PATCH /v1/auth/sessions/{session_id}': writes('204', '404 auth.session_not_found'),
  'DELETE /v1/auth/sessions/{session_id}': frees('204', NOTHING_ENDED),
  'POST /v1/passkeys': writes('201'),
  'GET /v1/passkeys': reads('200'),
  'PATCH /v1/passkeys/{passkey_id}': writes('204', '404 passkey.not_found'),
  'DELETE /v1/passkeys/{passkey_id}': frees('204', NOTHING_ENDED),
  'POST /v1/devices': writes('201'),
  'GET /v1/devices': reads('200'),
  'PATCH /v1/devices/{device_id}': writes('204', '404 device.not_found'),
  'DELETE /v1/devices/{device_id}': frees('204', '404 device.not_found'),
  // By default a server offers no kind of channel (channels.test.ts has a server that does).
  'POST /v1/channels': writes('403 channel.not_offered'),
  'GET /v1/channels': reads('200'),
  'POST /v1/channels/{channel_id}/confirm': writes('404 channel.not_found'),
  'POST /v1/channels/{channel_id}/test': writes('404 channel.not_found'),
  'DELETE /v1/channels/{channel_id}': frees('204', NOTHING_ENDED),
  'POST /v1/albums': writes('201'),
  'GET /v1/albums': reads('200'),
  'PATCH /v1/albums/{album_id}': writes('204', OTHER_ALBUM),
  'DELETE /v1/albums/{album_id}': frees('204', OTHER_ALBUM),
  'POST /v1/albums/{album_id}/capabilities': writes('201', OTHER_ALBUM),
  'GET /v1/albums/{album_id}/capabilities': reads('200', OTHER_ALBUM),
  'DELETE /v1/albums/{album_id}/capabilities/{jti}': frees('204', OTHER_ALBUM),
  'POST /v1/upload': writes('201', '403 device.not_authorized'),
  'GET /v1/upload/sessions': reads('200'),
  'PATCH /v1/upload/{upload_id}': writes('204', NO_SESSION),
  'HEAD /v1/upload/{upload_id}': reads('200', NO_SESSION),
  'DELETE /v1/upload/{upload_id}': frees('204', NO_SESSION),
  // An asset of another account is one of those that the answer says were skipped.
  'POST /v1/assets/retention': writes('200', '200'),
  'GET /v1/assets/{asset_id}': reads('200', NO_ASSET),
  'GET /v1/assets/{asset_id}/receipts': reads('200', '404 storage.asset_not_found'),
  'GET /v1/sync': reads('200'),
  'GET /v1/events': reads('200'),
  // For the asset of another account the answer says that no blob is stored (specification, verify, 3).
  'POST /v1/storage/verify': reads('200', '200'),
  'GET /v1/blob/{hash}': reads('200', NO_BLOB),
  'HEAD /v1/blob/{hash}': reads('200', NO_BLOB),
  'GET /v1/quota': reads('200'),
  'POST /v1/shares': writes('201'),
  'GET /v1/shares': reads('200'),
  'GET /v1/shares/{opaque_id}': reads('200', NO_SHARE),
  'PATCH /v1/shares/{opaque_id}': writes('204', NO_SHARE),
  'DELETE /v1/shares/{opaque_id}': frees('204', NOTHING_ENDED),
  'POST /v1/drops/links': writes('201'),
  'GET /v1/drops/links': reads('200'),
  'PATCH /v1/drops/links/{opaque_id}': writes('200', NO_LINK),
  'DELETE /v1/drops/links/{opaque_id}': frees('204', NOTHING_ENDED),
  'GET /v1/drops': reads('200'),
  'DELETE /v1/drops': frees('204', NOTHING_ENDED),
  'GET /v1/drops/{drop_id}/content': reads('200', NO_DROP),
  'HEAD /v1/drops/{drop_id}/content': reads('200', NO_DROP),
  'POST /v1/drops/{drop_id}/adopt': writes('200', NO_DROP),
  'DELETE /v1/drops/{drop_id}': frees('204', NO_DROP),
  'DELETE /v1/assets/{asset_id}': frees('204', NO_ASSET),
  'GET /v1/bin': reads('200'),
  'GET /v1/bin/{bin_id}/content/{hash}': reads('200', NO_ENTRY),
  'POST /v1/bin/{bin_id}/restore': writes('204', NO_ENTRY),
  'DELETE /v1/bin/{bin_id}': frees('204', NOTHING_ENDED),
  'DELETE /v1/bin': frees('204'),

  // The caller is authorized, but nothing is pending or enrolled.
  'POST /v1/auth/totp/confirm': writes('409 auth.totp_not_pending'),
  'POST /v1/auth/totp/disable': writes('409 auth.totp_not_enrolled'),
  'POST /v1/auth/totp/enroll': writes('200'),
  'POST /v1/auth/totp/backup-codes': writes('409 auth.totp_not_enrolled'),
  'POST /v1/auth/logout': frees('204'),
  'POST /v1/auth/recovery-words': writes('204'),
  'POST /v1/auth/recovery-words/confirm': writes('204'),
  'POST /v1/auth/password': writes('204'),
  'DELETE /v1/account': frees('204'),
}
