import { constants } from 'node:os'
import {
  AccountError,
  AddressError,
  AnswerError,
  AssetError,
  AssetIncomplete,
  AssetUnsigned,
  AuditError,
  DropError,
  FeedRolledBack,
  LinkError,
  MovedAway,
  MoveError,
  type MoveFault,
  NetworkError,
  PasswordWrong,
  ProblemError,
  ProofError,
  RecoveryError,
  SealError,
  SendError,
  ShareError,
  WordsError,
} from '@blindkeep/client/errors'
import { EXIT, type Exit, LocalError, UsageError } from '../ground/exits.ts'
import { Interrupted } from '../ground/interrupts.ts'
import { createReport, type ReportFlags } from '../ground/report.ts'
import { shown } from '../ground/texts.ts'
import { homeDirectory } from '../home/files.ts'
import { isPinned, keysPath } from '../home/pins.ts'
import { AfterLanding } from './afterLanding.ts'
import { PASSPHRASE_REFUSED, PROBLEM_WORDS } from './problemWords.ts'

const ASK_OPERATOR =
  'It was set back to an older state, or it is another server: ask its operator, by another way. What this machine knows of the old address stays.'

export interface Failure {
  /** Ends with what to do next. Contains nothing of a link. */
  readonly message: string
  /** For programs: the name of the error, or its reason. */
  readonly reason: string
  readonly exit: Exit
  /** Where the server says that it is now. */
  readonly movedTo?: string | undefined
}

/** What a person reads of an error: no stack, and no more than is known. */
export function failureOf(error: unknown): Failure {
  if (error instanceof UsageError) return { message: error.message, reason: 'usage', exit: EXIT.usage }
  if (isInterrupt(error)) return { message: 'Stopped.', reason: 'interrupted', exit: EXIT.interrupted }
  if (error instanceof AfterLanding) return failureAfterLanding(error)
  if (error instanceof MovedAway || isMoved(error)) return failureOfMoved(error)
  if (error instanceof MoveError)
    return {
      message: `${sentence(error.message)} Nothing was sent. ${moveNext(error.reason)}`,
      reason: `move_${error.reason}`,
      exit: error.reason === 'not_known' || error.reason === 'never_moved' ? EXIT.failed : EXIT.untrusted,
    }
  const exit = isUntrusted(error) ? EXIT.untrusted : EXIT.failed
  if (error instanceof ProblemError)
    return { message: `${wordsOf(error)}${requestText(error)}`, reason: error.code, exit }
  if (error instanceof SendError) {
    if (isMoved(error.cause)) return failureOfMoved(error.cause)
    const words = error.reason === 'passphrase_refused' ? PASSPHRASE_REFUSED : error.message
    return { message: `${words}${requestText(error.cause)}`, reason: error.reason, exit }
  }
  if (error instanceof NetworkError)
    return { message: `${error.message}${networkNext(error)}`, reason: error.failure, exit }
  if (error instanceof AddressError) {
    const message = `${error.message}${movedPerhaps(error)}`
    return error.about === 'proof'
      ? { message, reason: reasonOf(error), exit }
      : { message, reason: 'other_address', exit: EXIT.moved, movedTo: error.found }
  }
  if (error instanceof AuditError)
    return {
      message: `${auditText(error.reason)}: ${error.message} ${auditNext(error)}`,
      reason: error.reason,
      exit,
    }
  if (error instanceof FeedRolledBack)
    return {
      message: `${error.message} Either its operator restored it from a backup, or it withholds changes: ask them. To accept its list from now on, remove the file whose name begins with feed- from the directory of the profile below ${homeDirectory()}.`,
      reason: 'feed_rolled_back',
      exit,
    }
  if (error instanceof SealError)
    return {
      message: `It does not open: ${error.message}. It was altered, or not sealed for this account. Trust no part of it.`,
      reason: error.reason,
      exit,
    }
  if (error instanceof ProofError)
    return {
      message: `It is not shown to hold, at the step ${error.reason}: ${error.message}.`,
      reason: error.reason,
      exit,
    }
  if (isSystemError(error))
    return {
      message: `${systemText(error)} ${error.code === 'ENOENT' ? 'Check the path.' : 'Mend that, and call it again.'}`,
      reason: error.code,
      exit,
    }
  if (error instanceof Error) return { message: error.message, reason: reasonOf(error), exit }
  return { message: String(error), reason: 'unknown', exit }
}

function failureAfterLanding({ reason: fate, message, cause }: AfterLanding): Failure {
  if (cause === undefined) return { message, reason: fate, exit: EXIT.failed }
  const why = failureOf(cause)
  return { ...why, message: `${message} ${why.message}` }
}

/** Says why a command did not end well, and returns its exit status. */
export function tellFailure(error: unknown, flags: ReportFlags): Exit {
  const { message, reason, exit, movedTo } = failureOf(error)
  createReport(flags).problem(shown(message), { event: 'failed', reason, message, moved_to: movedTo })
  return exit
}

function wordsOf(error: ProblemError): string {
  return (error.code === 'unknown' ? undefined : PROBLEM_WORDS[error.code]) ?? error.message
}

/** What was redirected says itself what to do, unless the server is known, and may have moved. */
function networkNext({ failure, given, found, systemCode = '' }: NetworkError): string {
  const ofCertificate = certificateNext(systemCode, given)
  if (ofCertificate !== undefined) return ` ${ofCertificate}`
  const check = ' Check its address and your network, and call it again when it is there.'
  return `${failure === 'redirected' ? '' : check}${movedPerhaps({ given, found })}`
}

/** The names that OpenSSL and Node give to what is wrong with a certificate. */
function certificateNext(systemCode: string, given = 'the server'): string | undefined {
  if (systemCode === 'CERT_HAS_EXPIRED')
    return `The certificate of ${given} has expired: its operator has to renew it. If it has not, set the clock of this machine right.`
  if (systemCode === 'CERT_NOT_YET_VALID')
    return `The certificate of ${given} is not valid yet: set the clock of this machine right, or ask its operator.`
  if (systemCode === 'ERR_TLS_CERT_ALTNAME_INVALID')
    return `The certificate there is for another host than that of ${given}: check the address, or ask its operator.`
  if (!/SELF_SIGNED|ISSUER|LEAF_SIGNATURE|CERT_UNTRUSTED/.test(systemCode)) return undefined
  return `This machine does not know the authority that signed the certificate of ${given}. If it is an authority of your own, name the file with its certificate: export NODE_EXTRA_CA_CERTS=/path/of/authority.pem. Otherwise another server may stand between: go no further.`
}

/** Of a server that this machine knows. */
function movedPerhaps({ given, found = 'ADDRESS' }: Pick<NetworkError, 'given' | 'found'>): string {
  const known = given !== undefined && isPinned(homeDirectory(), given)
  return known ? ` If you know that it has moved to another address: blindkeep move ${found}` : ''
}

/** What the server answers at an address that it has left. */
export function isMoved(error: unknown): error is ProblemError {
  return error instanceof ProblemError && error.code === 'error.server.moved'
}

function failureOfMoved(error: MovedAway | ProblemError): Failure {
  if (error instanceof MovedAway) {
    const message = `${error.message} Nothing was sent. The same address or link is at ${error.to} now. If this profile is signed in at the old address: blindkeep move ${error.to}`
    return { message, reason: 'moved', exit: EXIT.moved, movedTo: error.to }
  }
  const { origin = 'The server', movedTo, code: reason } = error
  const message = `${origin} says that it has moved to ${movedTo ?? 'another address'}. Nothing was sent on. ${movedNext(error)}`
  return { message, reason, exit: EXIT.moved, movedTo }
}

function movedNext({ origin, movedTo }: ProblemError): string {
  if (movedTo === undefined) return 'Ask its operator for the address, by another way.'
  return origin !== undefined && isPinned(homeDirectory(), origin)
    ? `If you know of this: blindkeep move ${movedTo}`
    : `This machine knows no key of it that could prove that. Ask its operator by another way. If it is true, use the new address: owners sign out and in there (blindkeep logout, blindkeep login ${movedTo}).`
}

const MOVE_NEXT: Readonly<Record<MoveFault, string>> = {
  not_known:
    'If you are sure of the new address, sign in there like on a new machine: blindkeep logout, blindkeep login',
  never_moved: 'Use the address that its operator gave you.',
  old_contradicts:
    'Ask its operator by another way. If you are sure that the old address is in other hands, blindkeep move --forget makes this machine forget it: then sign in at the new address like on a new machine, with nothing to compare it with.',
  other_server: ASK_OPERATOR,
  keys_differ: ASK_OPERATOR,
  moves_differ: ASK_OPERATOR,
  not_from_there: ASK_OPERATOR,
  statement_invalid: ASK_OPERATOR,
  receipt_lost: ASK_OPERATOR,
}

const moveNext = (fault: MoveFault) => MOVE_NEXT[fault]

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`

function auditText(reason: AuditError['reason']): string {
  if (reason.startsWith('key_')) return 'The server’s keys do not hold'
  if (reason.startsWith('moves_')) return 'What the server states of its keys does not hold'
  return reason === 'verdict_malformed' ? 'The server’s verdict does not hold' : 'The receipt does not hold'
}

/** A restored server may lack keys that it published since; no client can tell that from a forgery. */
function auditNext({ serverId }: AuditError): string {
  if (serverId === undefined) return 'Keep the file, and tell the owner of the account and the operator.'
  return `Either its operator restored it from a backup that is older than this key, or it has been tampered with: ask the operator, but not through this server. Keep your own copies until then. To accept the keys that it shows now, remove ${keysPath(homeDirectory(), serverId)}.`
}

/** What the operator needs to find the request in the server's log. */
function requestText(problem: unknown): string {
  if (!(problem instanceof ProblemError)) return ''
  const { code, status, requestId } = problem
  const named = requestId === undefined ? '' : `, request ${requestId}`
  return ` (${code === 'unknown' ? `status ${status}` : code}${named})`
}

/** Groups of reasons have a prefix, so that one name means one thing. */
function reasonOf(error: Error): string {
  if (error instanceof LinkError) return `link_${error.reason}`
  if (error instanceof ShareError) return `share_${error.reason}`
  if (error instanceof WordsError) return `words_${error.reason}`
  if (error instanceof AccountError || error instanceof RecoveryError || error instanceof AssetError)
    return error.reason
  if (error instanceof AssetUnsigned) return 'unsigned'
  if (error instanceof AssetIncomplete) return 'incomplete'
  if (error instanceof PasswordWrong) return 'password_wrong'
  if (error instanceof LocalError) return 'local'
  return error.name
}

/** Ctrl-C at a question of Inquirer throws its own error. */
function isInterrupt(error: unknown): boolean {
  return error instanceof Interrupted || (error instanceof Error && error.name === 'ExitPromptError')
}

/** Nothing that an honest server does looks like this. */
function isUntrusted(error: unknown): boolean {
  if (error instanceof LinkError) return error.reason === 'key_swapped' || error.reason === 'words_altered'
  if (error instanceof ShareError) return error.reason === 'index_swapped' || error.reason === 'asset_differs'
  if (error instanceof AccountError) return error.reason !== 'email_malformed' && error.reason !== 'passkey_refused'
  if (error instanceof NetworkError) return error.failure === 'redirected'
  const lies = [AddressError, AnswerError, AssetError, AuditError, DropError, FeedRolledBack, SealError]
  return lies.some((lie) => error instanceof lie)
}

interface SystemError extends Error {
  readonly code: string
  readonly errno?: number
  readonly syscall: string
  readonly path?: string
}

function isSystemError(error: unknown): error is SystemError {
  return error instanceof Error && 'syscall' in error && 'code' in error && typeof error.code === 'string'
}

const SYSTEM_TEXTS: Readonly<Record<string, string>> = {
  EACCES: 'may not be read or written',
  EDQUOT: 'cannot be written: your share of its disk is used up',
  EEXIST: 'exists already',
  EIO: 'cannot be read or written: its disk fails (EIO)',
  EISDIR: 'is a folder',
  ENAMETOOLONG: 'has a name that is too long for this disk',
  ENOENT: 'does not exist',
  ENOSPC: 'cannot be written: the disk is full',
  ENOTDIR: 'has a file where a folder should be',
  EROFS: 'cannot be written: the disk is read-only',
}

function systemText({ code, errno, syscall, path = 'A file' }: SystemError): string {
  if (code === 'EPIPE') return 'The program that reads the output has ended too early.'
  if (code === 'ENOENT' && syscall === 'mkdir') return `${path} cannot be made: its disk takes no new folder there.`
  // Node has no name for it.
  const name = errno === -constants.errno.EDQUOT ? 'EDQUOT' : code
  return `${path} ${SYSTEM_TEXTS[name] ?? `cannot be used: the system answers ${name}`}.`
}
