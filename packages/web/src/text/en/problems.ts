/** What went wrong, for the owner: what happened, then what to do next. The server's own words are never shown. */
import type {
  AccountFault,
  AssetFault,
  NetworkFailure,
  RecoveryFault,
  SendStopReason,
  ShareFault,
  WordsFault,
} from '@blindkeep/client/errors'
import type { ProblemCode } from '@blindkeep/protocol/problems'

/** Only a fault of these pages, or of something between them and the server, can cause these. */
const OUR_FAULT = 'Something unexpected went wrong. Reload the page and try again.'
const OTHER_FILE = 'The server did not receive exactly what was sent, and kept nothing of it. Try again.'
const GONE = 'It is no longer here. It may have been deleted in the meantime.'
const BROKEN_SEAL =
  'It cannot be opened: it was changed after it was encrypted, or it was not encrypted for this account. Do not trust any part of it that you have seen.'

const codes: Readonly<Record<ProblemCode | 'unknown', string>> = {
  'error.request.malformed': OUR_FAULT,
  'error.drop.malformed': OUR_FAULT,
  'error.drop.opaque_id_taken': 'The link could not be created. Try again.',
  'error.auth.registration_invalid': 'The server does not accept this e-mail address. Check its spelling.',
  'error.device.invalid': 'This browser’s signing key is no longer accepted. Reload the page to create a new one.',
  'error.passkey.invalid': 'The passkey could not be added. Try again.',
  'error.drop.adoption_mismatch': 'This file has changed in the inbox in the meantime. Reload the page and try again.',
  'error.manifest.suite_unknown': OUR_FAULT,
  'error.manifest.invalid': OUR_FAULT,
  'error.manifest.mismatch': OUR_FAULT,
  'error.manifest.timestamp_out_of_range':
    'The clock of this device is wrong, so its signature was refused. Set the clock and try again.',
  'error.upload.unsupported_content_type': OUR_FAULT,
  'error.sync.cursor_invalid': OUR_FAULT,
  'error.upload.missing_offset': OUR_FAULT,
  'error.upload.missing_checksum': OUR_FAULT,
  'error.upload.empty_chunk': OUR_FAULT,
  'error.channel.invalid': 'The server cannot send messages there. Check the address.',
  'error.channel.code_wrong': 'This is not the code. Use the one in the newest message.',
  'error.channel.not_found': 'This entry no longer exists. Reload the page.',
  'error.channel.not_offered': 'This server does not send messages of this kind.',
  'error.channel.rate_limited': 'There were too many tests or codes.',
  'error.federation.lifetime_too_long': 'This access can last 24 hours at most. Choose a shorter time.',
  'error.request.unauthenticated': 'You are no longer signed in. Sign in again.',
  'error.auth.session_expired': 'You were signed out. Sign in again.',
  'error.auth.recovery_invalid':
    'These are not the recovery words of this account: they belong to another e-mail address, you have made new ones since, or the account has none. Check both.',
  'error.auth.invalid_credentials': 'The e-mail address or the password is wrong. Check both.',
  'error.auth.proof_invalid': 'The server did not accept the signature of this request. Try again.',
  'error.auth.totp_challenge_invalid': 'This sign-in took too long, or there were too many wrong codes. Sign in again.',
  'error.auth.totp_invalid_code':
    'This code is wrong or was already used. Wait for the next one. If that is wrong too, check the clock of your phone.',
  'error.request.rate_limited':
    'The account asks for too much at once, or has added as much as it may in a day. Wait a moment. If that does not help, sign in again, or try again tomorrow.',
  'error.album.not_empty':
    'The album still has files, or an upload to it has not finished. Reload the page, and finish or cancel the uploads.',
  'error.request.limit_reached': 'The account has reached its limit. Delete some that you no longer need.',
  'error.auth.registration_closed': 'This server needs an invite for a new account, and this one is not valid.',
  'error.account.suspended':
    'This account is suspended: you can view and delete your files, but you cannot add any. Ask the operator of this server.',
  'error.blob.withheld':
    'The operator of this server does not release this file at the moment. It is still stored. Ask them why.',
  'error.album.not_available': 'This album no longer exists. Reload the page and choose another.',
  'error.device.not_authorized':
    'This browser can no longer add files: its signing key was revoked. Reload the page to create a new one.',
  'error.drop.passphrase_required': 'The passphrase is missing or wrong.',
  'error.share.passphrase_required': 'The passphrase is missing or wrong.',
  'error.drop.links_exhausted':
    'You have reached the maximum number of open links. Revoke some that you no longer need.',
  'error.quota.exceeded':
    'Your storage is full. Delete files that you do not need and empty the bin, or ask the operator of this server for more space.',
  'error.request.not_found': OUR_FAULT,
  'error.auth.session_not_found': GONE,
  'error.device.not_found': GONE,
  'error.passkey.not_found': GONE,
  'error.upload.session_not_found': 'This upload has expired or was cancelled. Start it again.',
  'error.drop.link_not_found': 'This link accepts no more files: it has expired, has been used up or was revoked.',
  'error.drop.not_found': 'This file is no longer in the inbox: it was kept or discarded elsewhere.',
  'error.bin.not_found': 'This is not in the bin any more, so it cannot be restored.',
  'error.asset.not_found': GONE,
  'error.storage.asset_not_found': GONE,
  'error.blob.not_found': GONE,
  'error.share.not_found': 'This share no longer exists: it has expired or was ended.',
  'error.request.method_not_allowed': OUR_FAULT,
  'error.request.too_slow': 'The connection is too slow or was interrupted. Try again when it is better.',
  'error.request.misdirected':
    'The server does not answer at this address. Use the address that its operator gave you.',
  'error.auth.user_already_exists':
    'An account with this e-mail address already exists. Sign in, or use another address.',
  'error.auth.session_bound': 'This browser is signed in with another key. Sign out and in again to use this one.',
  'error.auth.totp_already_active': 'The second step is already on. Turn it off before you set it up again.',
  'error.auth.totp_not_pending':
    'The second step is not being set up. Start again. If it is already on and you have no backup codes, turn it off first.',
  'error.auth.totp_not_enrolled': 'The second step is already off.',
  'error.upload.checksum_mismatch': OTHER_FILE,
  'error.upload.offset_mismatch': 'The upload lost its position. Try again: it continues where the server stopped.',
  'error.upload.chunk_conflict': 'The file was changed while it was being sent. Add it again.',
  'error.upload.size_exceeded': 'The file has grown while it was being sent. Add it again.',
  'error.upload.too_many_chunks': 'The upload was divided into too many parts. Start it again.',
  'error.upload.session_closed': 'This upload has already ended.',
  'error.upload.content_hash_mismatch': OTHER_FILE,
  'error.asset.id_taken': 'Another file was stored in this place in the meantime. Reload the page.',
  'error.manifest.retention_too_long':
    'The minimum time for which this file is to be stored is longer than this server accepts.',
  'error.asset.retained':
    'A file here cannot be deleted yet, because it was stored for a minimum time. Nothing was deleted.',
  'error.manifest.stale': 'This file was changed elsewhere in the meantime. Reload the page and try again.',
  'error.drop.cap_below_use':
    'The link has already used more than this limit, counting uploads in progress. Choose a larger limit.',
  'error.drop.cap_exhausted': 'The link is full.',
  'error.drop.inbox_full': 'This inbox is full: too many files wait there.',
  'error.server.moved': 'The server has moved to another address. Reload this page: it leads there.',
  'error.request.payload_too_large': 'This is more than the server accepts at once.',
  'error.drop.file_too_large': 'The file is larger than the link allows.',
  'error.upload.file_too_large': 'The file is larger than the server allows.',
  'error.request.unsupported_media_type': OUR_FAULT,
  'error.request.range_not_satisfiable': OUR_FAULT,
  'error.request.unprocessable': OUR_FAULT,
  'error.protocol.version_unsupported': 'The server has a newer version than this page. Reload the page.',
  'error.auth.rate_limited': 'There were too many attempts.',
  'error.drop.rate_limited': 'There were too many attempts on this link.',
  'error.share.changed': 'The share was changed elsewhere meanwhile. Try again.',
  'error.share.used_up': 'The downloads of this share are used up. Its owner can allow more.',
  'error.share.rate_limited': 'There were too many wrong passphrases for this share.',
  'error.request.failed': 'Something failed on the server. Try again in a moment.',
  'error.request.overloaded': 'The server is busy. Try again in a moment.',
  'error.storage.unavailable':
    'The server cannot store anything at the moment. Nothing that was confirmed is lost. Try again later.',
  'error.storage.full':
    'The server has no room at the moment. Nothing that was confirmed is lost. Try again later; its operator has to make room.',
  'error.federation.revocations_unavailable': 'The server cannot answer this at the moment. Try again.',
  unknown: 'The server, or something on the way to it, gave an unreadable answer. Try again.',
}

const network: Readonly<Record<NetworkFailure, string>> = {
  unreachable: 'The server cannot be reached. Check your connection and try again.',
  timeout: 'The server did not answer in time. Try again.',
  cut: 'The connection broke. Try again.',
  redirected:
    'The server, or something on the way to it, points to another address. This page did not go there. Check the address, or ask the operator of this server.',
}

const send: Readonly<Record<SendStopReason, string>> = {
  server_unavailable:
    'The server could not be reached many times in a row. It keeps what has arrived for a day. Resume later.',
  server_full:
    'The server has no room for this file: its disk is full. It keeps nothing of it. Try again later, or tell its operator.',
  link_closed: 'This link accepts no files.',
  link_full: 'The link is full.',
  passphrase_refused: 'The passphrase is missing or wrong.',
  too_large: 'The file is larger than the link allows.',
  owner_full: 'The recipient’s storage is full.',
  inbox_full: 'This inbox is full: too many files wait there.',
  session_unknown: 'The server no longer knows this upload. Start it again.',
  session_failed: OTHER_FILE,
  chunk_refused:
    'Something between this browser and the server blocks even small parts of the file. Try another network.',
  file_changed: 'The file was changed while it was being sent. Add it again.',
  storage_full: 'Your storage is full. Delete files that you do not need and empty the bin, then resume.',
  too_large_for_server: 'The file is larger than the server allows.',
  too_many_uploads: 'You have reached the maximum number of uploads. Wait until some have ended, then resume.',
  signed_out: 'You were signed out. Sign in again: the upload continues where it stopped.',
  suspended: 'This account is suspended, so you cannot add files. Ask the operator of this server.',
  device_refused: 'This browser’s signing key was revoked. Reload the page and add the file again.',
  album_refused: 'This album no longer exists. Choose another.',
  asset_taken: 'Another file was stored in this place in the meantime, or the file was deleted. Reload the page.',
  manifest_refused: 'The server refused the signature. Check the clock of this device and add the file again.',
  version_refused: 'The server has a newer version than this page. Reload the page and add the file again.',
  version_unknown:
    'The server accepts only protocol versions that this page does not know, so nothing was signed. Reload the page. If that does not help, ask the operator of this server.',
  refused: 'The server refused this upload. Start it again.',
}

const account: Readonly<Record<AccountFault, string>> = {
  kdf_unknown:
    'The server asks for something that this page does not know, so your password was not used. Reload the page.',
  salt_refused:
    'The server’s answer would have weakened your password, so your password was not used. Do not continue. Ask the operator of this server.',
  email_malformed: 'This is not a plain e-mail address. Nothing was sent.',
  email_differs:
    'The server names another e-mail address for this account than the one that you signed in with. Do not enter your password. Contact the operator of this server, but not through this server.',
  account_id_differs:
    'The server has given your account another number than before, so this page signed you out. Do not continue. Contact the operator of this server, but not through this server.',
  account_key_missing:
    'The server has no key for this account, so none of its files can be opened. Ask the operator of this server.',
  account_key_unreadable:
    'The key from the server was not encrypted with your password. Do not continue. Contact the operator of this server, but not through this server.',
  passkey_refused:
    'This passkey belongs to no account here: it was removed, or the account was recovered or deleted. Sign in with your password, and delete the passkey on your device.',
  passkey_key_unreadable:
    'The key from the server was not encrypted with this passkey. Do not continue. Contact the operator of this server, but not through this server.',
}

const authenticator = {
  cancelled:
    'No passkey was used: you cancelled, it took too long, or your device could not check that it is you. Nothing was changed.',
  prf_missing:
    'This passkey can sign in, but cannot open files: its device or password manager lacks an extension (PRF). Nothing was saved here. Delete the passkey there, and choose another place for it.',
  not_verified:
    'The device did not check that it is you. Set up a PIN, a fingerprint or face recognition there, and try again. Nothing was changed.',
  present_already:
    'There is already a passkey for your account in this place. Choose another place, or remove the old one first.',
  failed: 'The browser could not use a passkey. Nothing was changed. Reload the page and try again.',
}

const recovery: Readonly<Record<RecoveryFault, string>> = {
  not_registered: 'These words do not belong to any account yet.',
  recovery_key_unreadable:
    'These words do not open this account: they belong to another e-mail address, you have made new ones since, or the account has none.',
}

const words: Readonly<Record<WordsFault, string>> = {
  count: 'Enter exactly 24 recovery words. Check whether a word is missing or was entered twice.',
  unknown_word: 'One word is not on the list. Check its spelling.',
  checksum: 'One of the words is wrong, or two are in the wrong order. Compare them with your notes.',
}

const asset: Readonly<Record<AssetFault, string>> = {
  asset_differs:
    'The server’s description of this file contradicts its signature, or what the server said before. Do not trust the file.',
  provenance_invalid: 'The signature of this file is not valid. Do not trust the file.',
  device_unknown: 'This file was signed by a device that is not yours. Do not trust the file.',
  envelope_differs:
    'The server’s description of this file contradicts its signature, or what the server said before. Do not trust the file.',
  key_unreadable: 'The key of this file cannot be opened. Do not trust what the server sends for it.',
  hash_differs: 'The server sent a different file than was stored. Delete what was downloaded of it.',
  metadata_differs: 'The description of this file contradicts its signature. Do not trust the file.',
}

const share: Readonly<Record<ShareFault, string>> = {
  malformed: 'This is not a share link, or a part of it is missing. Copy the whole link again.',
  fragment_missing: 'The part of the link after # is missing. Copy the whole link again.',
  passphrase_missing: 'The share opens with a passphrase.',
  passphrase_wrong: 'This passphrase does not open the share.',
  index_swapped: 'The server’s answer was not encrypted for this link. Do not trust it.',
  index_invalid: 'The share cannot be read. Ask its owner for a new one.',
  index_unknown: 'The share was created with a newer version. Reload the page.',
  asset_differs: 'The server sent a different file than was shared. Delete what was downloaded of it.',
  too_large: 'These are too many files for one share. Create several shares.',
}

export const problems = {
  codes,
  network,
  send,
  account,
  authenticator,
  recovery,
  words,
  asset,
  share,
  unknownWord: (place: number, word: string) => `Word ${place}, “${word}”, is not on the list. Check its spelling.`,
  password: 'The current password is wrong. Nothing was changed.',
  answer:
    'The server gave an unreadable answer. Reload the page. If this does not help, tell the operator of this server.',
  address: (given: string, found: string) =>
    `You opened ${given}, but this server says that it is ${found}, and its receipts count only there. Nothing of your password was sent. Open the other address if you trust it, or ask the operator of this server.`,
  seal: BROKEN_SEAL,
  unsigned: 'No device of yours has signed this file, so it may be another one than it seems.',
  deviceRevoked: 'This file is signed by a device that you revoked, so it may be another one than it seems.',
  assetMove: {
    retained: 'It is protected from deletion, so it cannot leave its album before that time.',
    changed: 'It was changed elsewhere while it was copied. Move it again.',
    not_verified: 'The server did not prove that it holds the copy. Both are there; move it again later.',
  },
  incomplete: 'This file is not complete: its upload stopped early.',
  audit: 'The server sent a receipt that is not valid. Keep your own copy, and ask the operator of this server.',
  sourceChanged: 'The file was changed while it was being read. Choose it again.',
  rolledBack:
    'The server lists less than this browser has seen before: newer files or changes are missing. After a restore from a backup this is expected; ask the person who runs the server. Otherwise the server withholds something.',
  acceptRollback: 'Use this list',
  aborted: 'This was stopped.',
  unexpected: OUR_FAULT,
  retryAfter: (wait: string) => `Try again in ${wait}.`,
  limit: (size: string) => `At most ${size}.`,
  requestId: (id: string) => `Number for the operator of this server: ${id}`,
  retry: 'Try again',
}
