/** What went wrong, for whoever is signed in: what happened, and what to do. The server's own words are never shown. */
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

/** For what only a fault in these pages, or in something between them and the server, can bring about. */
const OUR_FAULT = 'Something went wrong that should not have. Reload the page and try again.'
const OTHER_FILE = 'What arrived at the server is not what was sent. Nothing of it was kept; try again.'
const GONE = 'It is not here any more. Somebody may have removed it meanwhile.'
const BROKEN_SEAL =
  'It cannot be opened: it was changed since it was sealed, or it was not sealed for this account. Do not trust what you have seen of it.'

const codes: Readonly<Record<ProblemCode | 'unknown', string>> = {
  'error.request.malformed': OUR_FAULT,
  'error.drop.malformed': OUR_FAULT,
  'error.drop.opaque_id_taken': 'The link could not be made. Try once more.',
  'error.auth.registration_invalid': 'The server does not take this e-mail address. Check how it is spelled.',
  'error.device.invalid': 'This browser’s signing key is not accepted any more. Reload the page: a new one is made.',
  'error.drop.adoption_mismatch': 'This file has changed in the inbox meanwhile. Reload the page and look again.',
  'error.manifest.suite_unknown': OUR_FAULT,
  'error.manifest.invalid': OUR_FAULT,
  'error.manifest.mismatch': OUR_FAULT,
  'error.manifest.timestamp_out_of_range':
    'The clock of this device is far off, so its signature was refused. Set the clock, and try again.',
  'error.upload.unsupported_content_type': OUR_FAULT,
  'error.sync.cursor_invalid': OUR_FAULT,
  'error.upload.missing_offset': OUR_FAULT,
  'error.upload.missing_checksum': OUR_FAULT,
  'error.upload.empty_chunk': OUR_FAULT,
  'error.federation.lifetime_too_long': 'This access can last 24 hours at most. Choose a shorter time.',
  'error.request.unauthenticated': 'You are not signed in any more. Sign in again.',
  'error.auth.session_expired': 'You were signed out. Sign in again.',
  'error.auth.recovery_invalid':
    'These recovery words do not belong to this e-mail address, or the account has none. Check both.',
  'error.auth.invalid_credentials': 'The e-mail address or the password is wrong. Check both.',
  'error.auth.totp_challenge_invalid': 'This sign-in took too long, or there were too many wrong codes. Begin anew.',
  'error.auth.totp_invalid_code':
    'This code is wrong or was used already. Wait for the next one; if that is wrong too, check the clock of your phone.',
  'error.request.limit_reached':
    'The account has as many of these as it may. Remove some that you do not need any more.',
  'error.auth.registration_closed': 'This server takes new accounts only with an invite, and this one is not valid.',
  'error.account.suspended':
    'This account is suspended: you can look at and remove what is here, and add nothing. Ask whoever runs this server.',
  'error.blob.withheld': 'Whoever runs this server holds this file back for now. It is kept; ask them why.',
  'error.album.not_available': 'This album is not there any more. Reload the page and choose another.',
  'error.device.not_authorized':
    'This browser may not add files any more: its signing key was revoked. Reload the page to make a new one.',
  'error.drop.passphrase_required': 'The passphrase is missing or wrong.',
  'error.drop.links_exhausted':
    'There are as many live links as there may be. Revoke some that you do not need any more.',
  'error.quota.exceeded':
    'Your storage is full. Remove files that you do not need, or ask whoever runs this server for more room.',
  'error.request.not_found': OUR_FAULT,
  'error.device.not_found': GONE,
  'error.upload.session_not_found': 'This upload is over: it ran out or was cancelled. Start it again.',
  'error.drop.link_not_found': 'This link takes no files any more: it has expired, was used up or revoked.',
  'error.drop.not_found': 'This file is not in the inbox any more: it was kept or discarded elsewhere.',
  'error.asset.not_found': GONE,
  'error.storage.asset_not_found': GONE,
  'error.blob.not_found': GONE,
  'error.share.not_found': 'This share is not there any more: it has expired or was withdrawn.',
  'error.request.method_not_allowed': OUR_FAULT,
  'error.auth.user_already_exists':
    'There is an account with this e-mail address already. Sign in, or take another one.',
  'error.auth.totp_already_active': 'The second step is on already. Turn it off before you set it up anew.',
  'error.auth.totp_not_pending':
    'The second step is not being set up. Begin again; if it is on already and you have no backup codes, turn it off first.',
  'error.auth.totp_not_enrolled': 'The second step is off already.',
  'error.upload.checksum_mismatch': OTHER_FILE,
  'error.upload.offset_mismatch': 'The upload has lost its place. Try again: it goes on where the server is.',
  'error.upload.chunk_conflict': 'The file was changed while it was sent. Add it again.',
  'error.upload.size_exceeded': 'The file has grown while it was sent. Add it again.',
  'error.upload.too_many_chunks': 'The upload was cut into too many pieces. Start it again.',
  'error.upload.session_closed': 'This upload is over.',
  'error.upload.content_hash_mismatch': OTHER_FILE,
  'error.asset.id_taken': 'Something else was kept in this place meanwhile. Reload the page and look.',
  'error.asset.retained':
    'Something here must be kept for a while longer, as was decided when it was stored. Nothing was deleted.',
  'error.manifest.stale': 'This file was changed elsewhere meanwhile. Reload the page and look again.',
  'error.drop.cap_exhausted': 'The link is full.',
  'error.request.payload_too_large': 'This is more than the server takes at once.',
  'error.drop.file_too_large': 'The file is larger than the link takes.',
  'error.upload.file_too_large': 'The file is larger than the server takes.',
  'error.request.unsupported_media_type': OUR_FAULT,
  'error.request.range_not_satisfiable': OUR_FAULT,
  'error.request.unprocessable': OUR_FAULT,
  'error.protocol.version_unsupported': 'The server has a newer version than this page. Reload the page.',
  'error.auth.rate_limited': 'There were too many attempts.',
  'error.drop.rate_limited': 'There were too many attempts on this link.',
  'error.request.failed': 'The server failed. Try again in a moment.',
  'error.storage.unavailable':
    'The server cannot store anything now. Nothing that was confirmed is lost; try again later.',
  'error.federation.revocations_unavailable': 'The server cannot answer this now. Try again in a moment.',
  unknown: 'The server, or something between here and there, gave an answer that makes no sense. Try again.',
}

const network: Readonly<Record<NetworkFailure, string>> = {
  unreachable: 'The server cannot be reached. Check your connection, and try again.',
  timeout: 'The server did not answer in time. Try again.',
  cut: 'The connection broke. Try again.',
}

const send: Readonly<Record<SendStopReason, string>> = {
  gave_up: 'The server could not be reached many times in a row. What has arrived stays for a day: go on later.',
  link_closed: 'This link takes no files.',
  link_full: 'The link is full.',
  passphrase_refused: 'The passphrase is missing or wrong.',
  too_large: 'The file is larger than the link takes.',
  owner_full: 'The storage of the receiving account is full.',
  session_gone: 'The server does not know this upload any more. Start it again.',
  session_failed: OTHER_FILE,
  chunk_refused: 'Something between here and the server refuses even small pieces of the file. Tell whoever runs it.',
  file_changed: 'The file was changed while it was sent. Add it again.',
  storage_full: 'Your storage is full. Remove something, then go on.',
  too_large_for_server: 'The file is larger than the server takes.',
  too_many_uploads: 'There are as many uploads under way as there may be. Wait for some to end, then go on.',
  signed_out: 'You were signed out. Sign in again; the upload goes on where it stopped.',
  suspended: 'This account is suspended, and nothing can be added. Ask whoever runs this server.',
  device_refused: 'This browser’s signing key was revoked. Reload the page and add the file again.',
  album_refused: 'This album is not there any more. Choose another.',
  asset_taken: 'Something else was kept in this place meanwhile, or it was deleted. Reload the page and look.',
  manifest_refused: 'The server refused what was signed. Check the clock of this device, and add the file again.',
  version_refused: 'The server has a newer version than this page. Reload it, and add the file again.',
  refused: 'The server refuses this upload. Start it again.',
}

const account: Readonly<Record<AccountFault, string>> = {
  kdf_unknown:
    'The server asks for something that this page does not know, so your password was not used. Reload the page.',
  account_key_missing: 'The server keeps no key for this account, so nothing in it can be opened. Ask whoever runs it.',
  account_key_unreadable:
    'The key that the server gave was not sealed with your password. Do not go on: ask whoever runs this server, by another way.',
}

const recovery: Readonly<Record<RecoveryFault, string>> = {
  not_registered: 'There is no account yet that these words belong to.',
  recovery_key_unreadable:
    'These words do not open this account: they belong to another e-mail address, or the account has none.',
}

const words: Readonly<Record<WordsFault, string>> = {
  count: 'There are 24 recovery words. Check whether one is missing, or one too many.',
  unknown_word: 'One word is not on the list. Check its spelling.',
  checksum: 'All these words exist, and yet one is wrong or two have changed places.',
}

const asset: Readonly<Record<AssetFault, string>> = {
  asset_differs: 'What the server says about this file contradicts what was signed. Do not trust it.',
  provenance_invalid: 'The signature of this file does not hold. Do not trust it.',
  device_unknown: 'This file was signed by a device that is not one of yours. Do not trust it.',
  envelope_differs: 'What the server says about this file contradicts what was signed. Do not trust it.',
  key_unreadable: 'The key of this file cannot be opened. Do not trust what the server gives.',
  hash_differs: 'The server gave other bytes than were stored. Throw away what was saved of it.',
  metadata_differs: 'The description of this file contradicts what was signed. Do not trust it.',
}

const share: Readonly<Record<ShareFault, string>> = {
  malformed: 'This is no address of a share, or it was cut. Copy it again, whole.',
  fragment_missing: 'The part of the address after # is missing. Copy it again, whole.',
  index_swapped: 'What the server gives for this address was not sealed for it. Do not trust it.',
  index_invalid: 'What was shared cannot be read.',
  index_unknown: 'What was shared was written by a newer version. Reload the page.',
  asset_differs: 'The server gave another file than was shared. Throw away what was saved of it.',
  too_large: 'These are too many files for one share. Make several.',
}

export const problems = {
  codes,
  network,
  send,
  account,
  recovery,
  words,
  asset,
  share,
  unknownWord: (place: number, word: string) => `Word ${place}, “${word}”, is not on the list. Check its spelling.`,
  password: 'The present password is wrong. Nothing was changed.',
  answer: 'The server gave an answer that makes no sense. Reload the page; if it stays so, tell whoever runs it.',
  seal: BROKEN_SEAL,
  incomplete: 'This file is not complete: an upload was cut short.',
  audit: 'The server has shown a receipt that does not hold. Keep your own copy, and ask whoever runs it.',
  sourceChanged: 'The file was changed while it was read. Choose it again.',
  aborted: 'It was stopped.',
  unexpected: OUR_FAULT,
  retryAfter: (wait: string) => `Try again in ${wait}.`,
  limit: (size: string) => `At most ${size}.`,
  requestId: (id: string) => `Number for whoever runs the server: ${id}`,
  retry: 'Try again',
}
