/** A refusal at a command line, and what to do next. The catalog's words are for authors of clients. */
import type { ProblemCode } from '@blindkeep/protocol/problems'

const GONE = 'It is not there (any more): it may have been deleted, kept or discarded elsewhere.'
const LATER = 'Wait a little, and call it again.'

/** The client's own words are for programs that prepare files themselves. */
export const PASSPHRASE_REFUSED =
  'The passphrase is missing or wrong. Ask the owner of the link for it, and call it again with the right one.'

/** Codes that are not here are faults of this program or of the server: they get the catalog's words. */
export const PROBLEM_WORDS: Partial<Readonly<Record<ProblemCode, string>>> = {
  'error.auth.session_expired':
    'The session is over: it was ended, or not used for long. Sign in again: blindkeep login',
  'error.request.unauthenticated': 'You are not signed in any more. Sign in again: blindkeep login',
  'error.auth.invalid_credentials': 'E-mail address or password are wrong. Check both.',
  'error.auth.proof_invalid': 'The server did not accept the signature of the request. Call it again.',
  'error.auth.registration_invalid': 'The server does not accept this e-mail address. Check its spelling.',
  'error.auth.user_already_exists': 'There is an account with this e-mail address. Sign in: blindkeep login',
  'error.auth.registration_closed':
    'The invite is wrong, expired or used, or registration is closed. Ask its operator for a new invite.',
  'error.auth.recovery_invalid':
    'These are not the recovery words of this account: they belong to another e-mail address, or you have made new ones since. Check both.',
  'error.auth.totp_invalid_code': 'The code is wrong, or was used before. Wait for the next one.',
  'error.auth.totp_challenge_invalid': 'The sign-in took too long, or had too many wrong codes. Begin again.',
  'error.auth.rate_limited': 'There were too many tries. Wait a quarter of an hour, and call it again.',
  'error.account.suspended':
    'The account is suspended: you can read and delete, not add. Ask the operator of the server.',
  'error.request.rate_limited':
    'The account asks for too many lists at once, or it or this session has added as much as the server allows in a day. Try again in a moment; if that does not help, sign in again, or try again tomorrow.',
  'error.album.not_empty': 'The album has files, or uploads that are on their way to it: blindkeep ls',
  'error.request.limit_reached':
    'The account has as many of these as the server allows. Remove some that you do not need.',
  'error.drop.links_exhausted': 'There are too many open links. Revoke some: blindkeep link list',
  'error.drop.cap_below_use':
    'The link has used more than that: what has landed and what is on its way count. See: blindkeep link show',
  'error.quota.exceeded':
    'The storage of the account is full. Delete what you do not need and empty the bin, or ask the operator for more.',
  'error.drop.not_found': GONE,
  'error.asset.not_found': GONE,
  'error.storage.asset_not_found': GONE,
  'error.blob.not_found': GONE,
  'error.auth.session_not_found': 'This session has ended. Call: blindkeep sessions list',
  'error.passkey.not_found': 'There is no such passkey. Call: blindkeep passkeys list',
  'error.device.not_found': 'There is no such device. Call: blindkeep devices list',
  'error.album.not_available': 'There is no such album (any more). Call: blindkeep album list',
  'error.device.not_authorized':
    'The device of this profile was revoked. Sign out and in again to get a new one: blindkeep logout, blindkeep login',
  'error.asset.retained': 'It must be kept until the time to which it was retained has passed.',
  'error.blob.withheld': 'The operator of the server withholds it at the moment. It is still stored. Ask them why.',
  'error.channel.not_found': 'There is no such channel. Call: blindkeep notify list',
  'error.channel.not_offered': 'The server does not offer this kind. `blindkeep notify list` says what it offers.',
  'error.channel.code_wrong': 'This is not the code. Use the one in the newest message.',
  'error.channel.rate_limited': 'There were too many tests or codes. Wait a quarter of an hour.',
  'error.share.changed': 'Another program has changed the share meanwhile. Call it again.',
  'error.share.used_up': 'The downloads of this share are used up. Its owner can allow more.',
  'error.share.rate_limited':
    'Too many wrong passphrases were tried on this share. Wait a quarter of an hour, and call it again with the right one.',
  'error.share.not_found': 'There is no such share (any more): it has expired or was revoked. Ask for a new address.',
  'error.drop.link_not_found':
    'The link takes no files: it has expired, is used up, or was revoked. Ask its owner for a new one.',
  'error.request.not_found': 'The server has nothing at this address. Use the one that its operator gave you.',
  'error.request.misdirected': 'The server does not answer at this address. Use the one that its operator gave you.',
  'error.storage.unavailable':
    'The server cannot reach its database or its files at the moment. Call it again later, and tell its operator if it stays so.',
  'error.storage.full':
    'The disk of the server is full. What it has is safe. Tell its operator, and call this again later: it goes on where it stopped.',
  'error.request.too_slow': 'The connection is too slow or was away. Call it again when it is better.',
  'error.request.overloaded': LATER,
  'error.request.failed':
    'The server failed. Call it again. If it fails again, tell its operator the number of the request.',
  'error.protocol.version_unsupported': 'The server does not take this version any more. Use a newer client.',
  'error.manifest.timestamp_out_of_range': 'The clock of this machine is wrong. Set it, and call it again.',
  'error.manifest.retention_too_long': 'The server does not let a file be retained for so long.',
  'error.drop.inbox_full': 'The inbox is full: too many files wait there. Its owner has to take some out.',
}
