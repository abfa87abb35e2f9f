/**
 * Who may do what: for every operation what each kind of caller is answered. Written down by hand and beside the server's own table, so that an
 * operation which asks for less than it should, by mistake, is caught by `matrix.test.ts`.
 */

/** In the order in which they are asked of an account's operations: who is let in comes last. */
export const CALLERS = [
  /** Nothing at all; of a link's operations, an opaque id that nothing has. */
  'none',
  /** Has a live link and no token. Of an account's operations: gives the opaque id where a token belongs. */
  'guest',
  /** A token of the owner's whose time is over. */
  'expired',
  /** A token of a session that has been logged out. */
  'ended',
  /** A token of a session that was signed in with a device that has been revoked. */
  'revoked',
  /** A token of an account that has been deleted. */
  'deleted',
  /** Another account, with a link of its own. */
  'other',
  'owner',
  /** An owner whom the operator has suspended; and a guest with such an owner's link. */
  'suspended',
] as const
export type Caller = (typeof CALLERS)[number]

export interface Entry {
  readonly asks: 'nothing' | 'link' | 'account'
  /** With what it asks for, and with things of one's own. */
  readonly granted: string
  /** What another account is told about a thing of the owner's; left out where the operation can name only the caller's own. */
  readonly other?: string
  /** Of a link's operation: what hides that there is no such link, session or share. */
  readonly hidden?: string
  /** An account's, suspended: nothing that writes, everything that reads or frees. Of a link: as hidden, unless it says so. */
  readonly suspended?: string
}

const NO_TOKEN = '401 request.unauthenticated'
const OVER = '401 auth.session_expired'

/** What an entry says for one caller: `200`, or `404 asset.not_found`. */
export function answerTo(caller: Caller, { asks, granted, other, hidden = 'none', suspended }: Entry): string {
  if (asks === 'nothing') return granted
  if (asks === 'link') {
    if (caller === 'none') return hidden
    if (caller === 'suspended') return suspended ?? hidden
    // The link is the credential: what stands in Authorization is not looked at.
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
/** It frees something, so a suspended account may. */
const frees = reads
const writes = (granted: string, other?: string): Entry => ({
  ...reads(granted, other),
  suspended: '403 account.suspended',
})

const NO_ASSET = '404 asset.not_found'
const NO_BLOB = '404 blob.not_found'
const NO_DROP = '404 drop.not_found'
const NO_LINK = '404 drop.link_not_found'
const NO_SESSION = '404 upload.session_not_found'
const NO_SHARE = '404 share.not_found'
const NOT_HIS_ALBUM = '403 album.not_available'
/** The answer is the same whether or not there was anything of the caller's to end, and nothing of another's is ended. */
const NOTHING_ENDED = '204'
/** A session used through another link is not there. */
const THROUGH_ANOTHER = { other: NO_SESSION }

/** By `METHOD path`, in the order in which they are asked: what ends a session or an account comes last. */
export const MATRIX: Readonly<Record<string, Entry>> = {
  'GET /.well-known/service/attestation-keys': open('200'),
  'HEAD /.well-known/service/attestation-keys': open('200'),
  'GET /.well-known/service/deprecation': open('200'),
  'HEAD /.well-known/service/deprecation': open('200'),
  'GET /.well-known/service/revoked-jti': open('200'),
  'HEAD /.well-known/service/revoked-jti': open('200'),
  'GET /.well-known/service/server-info': open('200'),
  'HEAD /.well-known/service/server-info': open('200'),
  'GET /v1/version': open('200'),
  'GET /openapi.json': open('200'),
  'GET /healthz': open('200'),
  'GET /readyz': open('200'),
  'GET /problems/{code}': open('200'),

  'POST /v1/auth/register': open('201'),
  'POST /v1/auth/kdf': open('200'),
  'POST /v1/auth/login': open('200'),
  'POST /v1/auth/refresh': open('200'),
  // What proves the caller stands in the body, and here it proves nothing.
  'POST /v1/auth/login/verify-totp': open('401 auth.totp_challenge_invalid'),
  'POST /v1/auth/recover/start': open('200'),
  'POST /v1/auth/recover/finish': open('401 auth.recovery_invalid'),

  'GET /d/{opaque_id}': link('200', NO_LINK),
  'POST /d/{opaque_id}': link('201', NO_LINK),
  'PATCH /d/{opaque_id}/{upload_id}': link('204', NO_SESSION, THROUGH_ANOTHER),
  'HEAD /d/{opaque_id}/{upload_id}': link('200', NO_SESSION, THROUGH_ANOTHER),
  'DELETE /d/{opaque_id}/{upload_id}': link('204', NO_SESSION, THROUGH_ANOTHER),
  // A receipt is the guest's, whatever becomes of the link and its owner.
  'GET /d/{opaque_id}/{upload_id}/receipt': link('200', NO_SESSION, { ...THROUGH_ANOTHER, suspended: '200' }),
  'GET /s/{opaque_id}': link('200', NO_SHARE),
  'GET /s/{opaque_id}/blob/{hash}': link('200', NO_SHARE),
  'HEAD /s/{opaque_id}/blob/{hash}': link('200', NO_SHARE),

  'GET /v1/account': reads('200'),
  'GET /v1/auth/sessions': reads('200'),
  'DELETE /v1/auth/sessions/{session_id}': frees('204', NOTHING_ENDED),
  'POST /v1/devices': writes('201'),
  'GET /v1/devices': reads('200'),
  'DELETE /v1/devices/{device_id}': frees('204', '404 device.not_found'),
  'POST /v1/albums': writes('201'),
  'GET /v1/albums': reads('200'),
  'POST /v1/albums/{album_id}/capabilities': writes('201', NOT_HIS_ALBUM),
  'GET /v1/albums/{album_id}/capabilities': reads('200', NOT_HIS_ALBUM),
  'DELETE /v1/albums/{album_id}/capabilities/{jti}': frees('204', NOT_HIS_ALBUM),
  'POST /v1/upload': writes('201', '403 device.not_authorized'),
  'GET /v1/upload/sessions': reads('200'),
  'PATCH /v1/upload/{upload_id}': writes('204', NO_SESSION),
  'HEAD /v1/upload/{upload_id}': reads('200', NO_SESSION),
  'DELETE /v1/upload/{upload_id}': frees('204', NO_SESSION),
  'GET /v1/assets/{asset_id}': reads('200', NO_ASSET),
  'GET /v1/assets/{asset_id}/receipts': reads('200', '404 storage.asset_not_found'),
  'GET /v1/sync': reads('200'),
  'GET /v1/events': reads('200'),
  // Another's asset is as good as none: the answer says that nothing of it is held (specification, verify, 3).
  'POST /v1/storage/verify': reads('200', '200'),
  'GET /v1/blob/{hash}': reads('200', NO_BLOB),
  'HEAD /v1/blob/{hash}': reads('200', NO_BLOB),
  'GET /v1/quota': reads('200'),
  'POST /v1/shares': writes('201'),
  'GET /v1/shares': reads('200'),
  'DELETE /v1/shares/{opaque_id}': frees('204', NOTHING_ENDED),
  'POST /v1/drops/links': writes('201'),
  'GET /v1/drops/links': reads('200'),
  'DELETE /v1/drops/links/{opaque_id}': frees('204', NOTHING_ENDED),
  'GET /v1/drops': reads('200'),
  'DELETE /v1/drops': frees('204', NOTHING_ENDED),
  'GET /v1/drops/{drop_id}/content': reads('200', NO_DROP),
  'HEAD /v1/drops/{drop_id}/content': reads('200', NO_DROP),
  'POST /v1/drops/{drop_id}/adopt': writes('200', NO_DROP),
  'DELETE /v1/drops/{drop_id}': frees('204', NO_DROP),
  'DELETE /v1/assets/{asset_id}': frees('204', NO_ASSET),

  // Nothing is pending and nothing enrolled: let in, and then told so.
  'POST /v1/auth/totp/confirm': writes('409 auth.totp_not_pending'),
  'POST /v1/auth/totp/disable': writes('409 auth.totp_not_enrolled'),
  'POST /v1/auth/totp/enroll': writes('200'),
  'POST /v1/auth/logout': frees('204'),
  'POST /v1/auth/password': writes('204'),
  'DELETE /v1/account': frees('204'),
}
