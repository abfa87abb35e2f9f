/** Messages between page and worker: commands, answered with snapshots of all that there is to draw. */

import type { SendTrouble } from '@blindkeep/client/errors'
import type { LinkParts } from '@blindkeep/client/guest'
import type { Answers, Question } from '@blindkeep/client/questions'
import type { Site } from '@blindkeep/client/site'
import type { HeldBack } from '@blindkeep/protocol/schemas/links'

/** Why the link accepts no files. */
export type LinkFault =
  | 'malformed'
  | 'fragment_missing'
  | 'key_swapped'
  | 'words_altered'
  | 'suite_unknown'
  | 'server_moved'
  /** The server calls itself by another address than that of the link. */
  | 'other_address'
  | 'closed'
  | 'busy'
  | 'unreachable'
  | 'server_failed'
  | 'answer_broken'
  /** The page has asked for a day without an answer, and asks no more. */
  | 'given_up'

export type LinkStatus =
  | { readonly is: 'asking' }
  | { readonly is: 'open'; readonly limits: Limits; readonly words: OwnersWords }
  | {
      readonly is: 'refused'
      readonly fault: LinkFault
      readonly isRetrying: boolean
      /** RFC 3339. The link is closed, and was open until then. Absent if the page does not know why it is closed. */
      readonly expiredAt?: string | undefined
      /** With `other_address`: the origin that the server says it has. Unverified. */
      readonly found?: string | undefined
    }

/** What the owner says to the guests of the link. The server cannot read it, but it can withhold it. */
export interface OwnersWords {
  readonly title: string | undefined
  readonly message: string | undefined
  /** What the owner says to be called. */
  readonly from: string | undefined
  readonly questions?: readonly Question[] | undefined
  /** Endings of names, as in `pdf`. */
  readonly fileKinds?: readonly string[] | undefined
}

/** The limits that the server reports before anything is sent. All sizes in bytes. An absent member means no limit. */
export interface Limits {
  readonly fileBytesMax?: number | undefined
  /** The link's own limit for one file, sealed. */
  readonly sealedBytesMax?: number | undefined
  readonly remainingBytes?: number | undefined
  readonly remainingFiles?: number | undefined
  /** Too many files wait for the owner of the link. */
  readonly inboxFull?: boolean
  /** The link ends with the first file that lands. */
  readonly singleUse?: boolean | undefined
  /** RFC 3339. */
  readonly expiresAt?: string | undefined
}

/** `refused`: the server did not accept the one that was given. */
export type PassphraseStatus = 'not_needed' | 'wanted' | 'given' | 'refused'

/** The changes from one phase to another are in engine/entries/phases.ts. */
export type Phase =
  | 'chosen'
  | 'unfit'
  | 'waiting'
  | 'preparing'
  | 'sending'
  | 'finishing'
  | 'landed'
  | 'paused'
  | 'failed'
  | 'cancelled'

export type FailureReason =
  /** The first four, and `inbox_full`, are known before anything is sent. */
  | 'too_large'
  | 'too_many'
  /** The link takes one file, and another is that one. */
  | 'only_one'
  | 'no_room'
  /** By its name the file is of no kind that the owner wants; or its content is not what its name says. */
  | 'wrong_kind'
  | 'wrong_content'
  /** The engine tries again by itself. */
  | SendTrouble
  | 'link_closed'
  | 'link_full'
  | 'inbox_full'
  | 'owner_full'
  | 'damaged_on_the_way'
  | 'chunk_refused'
  | 'file_changed'
  | 'unreadable'
  | 'too_large_for_server'
  | 'other_tab'
  /** The guest has not got the whole link, or the page cannot use it. */
  | 'link_faulty'
  | 'key_swapped'
  | 'server_moved'
  | 'other_address'
  | 'refused'
  | 'unexpected'

/** Another try: `resume` continues the upload, `as_new_file` starts again, `none`: no try can help. */
export type Retry = 'resume' | 'as_new_file' | 'none'

export type ReceiptStatus =
  | { readonly is: 'fetching' }
  | { readonly is: 'checked'; readonly signed: SignedFacts }
  /** The server has not returned the receipt so far. */
  | { readonly is: 'missing' }
  /** The check of the server's receipt failed. */
  | { readonly is: 'alarm'; readonly reason: string }

/** What the server has signed. */
export interface SignedFacts {
  /** RFC 3339. */
  readonly receivedAt: string
  readonly receiptNumber: number
  readonly serverId: string
  readonly keyId: string
  /** SHA-256 of the sealed file, lowercase hex. */
  readonly sealedHash: string
  readonly sealedBytes: number
}

export interface Row {
  readonly id: string
  /** Rises with every change of this row. */
  readonly revision: number
  readonly name: string
  /** Path with `/` between folders; empty for a file that was chosen by itself. */
  readonly folder: string
  readonly size: number
  readonly phase: Phase
  /** Sealed bytes done in this phase, with those on their way. It does not fall when the connection is cut. */
  readonly doneBytes: number
  /** Sealed bytes that the server has acknowledged. */
  readonly arrivedBytes: number
  /** All sealed bytes. */
  readonly totalBytes: number
  /** What goes with it, once the guest has sent it in this visit: one of `messages`. */
  readonly message?: Message | undefined
  /** The last request failed, and the engine tries again by itself. */
  readonly isRetrying: boolean
  /** The server has a part of the file, and deletes that part when the guest cancels. */
  readonly isBegun: boolean
  readonly failure?: FailureReason | undefined
  readonly retry: Retry
  readonly receipt?: ReceiptStatus | undefined
  /** A proof can be saved: the receipt is checked, and the file was sent in this visit. */
  readonly isProvable: boolean
  /** The name of the file with the proof, once it was saved. */
  readonly proofFile?: string | undefined
  /** RFC 3339; only for a file that landed in an earlier visit. */
  readonly landedAt?: string | undefined
}

/** A file of an earlier visit that has not arrived. The guest must choose it again. */
export interface Unfinished {
  readonly id: string
  readonly name: string
  readonly folder: string
  readonly size: number
  readonly doneBytes: number
  readonly totalBytes: number
  readonly isInOtherTab: boolean
  /**
   * `kept`: sending continues. `deleted`: the server has deleted what was sent of the file. `never_begun`: nothing of
   * the file was sent. `not_taken`: the link closed before the server took anything of the file.
   */
  readonly standing: 'kept' | 'deleted' | 'never_begun' | 'not_taken'
}

export interface Totals {
  /** Files that the guest sends in this visit, without the cancelled ones. */
  readonly files: number
  /** Of them those of which the server says that it has them. */
  readonly landed: number
  /** Of these those whose receipt this browser has checked. The page calls no other file arrived. */
  readonly arrived: number
  /** Sealed bytes. */
  readonly doneBytes: number
  readonly totalBytes: number
  readonly secondsLeft?: number | undefined
  readonly trouble?: Trouble | undefined
}

/** What keeps files from being sent, while the engine tries again. */
export interface Trouble {
  readonly reason: SendTrouble
  /** Milliseconds since 1970: the first failed try after the last progress. */
  readonly since: number
  /** Milliseconds since 1970: the next try. Absent while tries follow each other. */
  readonly until?: number | undefined
}

/** Shown until there are others; `serial` rises with each remark. */
export interface Remark {
  readonly serial: number
  readonly about:
    | 'already_there'
    | 'already_landed'
    | 'not_taken'
    | 'nothing_chosen'
    | 'empty'
    | 'empty_folders'
    | 'not_read'
  readonly count: number
  /** The name of the first file. */
  readonly name: string
}

/** Files that were to be sent in earlier visits and that nothing was sent of. */
export interface NeverBegun {
  readonly files: number
  readonly hasFolders: boolean
}

/** Proofs that the guest has asked for. `failed`: not because of a file. */
export type ProofStatus =
  | { readonly is: 'checking'; readonly doneBytes: number; readonly totalBytes: number }
  | {
      readonly is: 'made'
      readonly words: readonly ProofWords[]
      /** Names of files that are not as they were sent any more: the first ones, and how many there are. */
      readonly changed: readonly string[]
      readonly changedFiles: number
    }
  | { readonly is: 'failed' }

/** What a person reads who gets proofs about these files. */
export interface ProofWords {
  readonly sender: string | undefined
  readonly note: string | undefined
  readonly answers: Answers
  /** How many files were sent in the same go. */
  readonly goFiles: number | undefined
  /** Path and name, bytes, RFC 3339. Only the first ones. */
  readonly files: readonly { readonly name: string; readonly size: number; readonly modifiedAt: string | undefined }[]
  readonly moreFiles: number
}

export interface Snapshot {
  readonly link: LinkStatus
  /** What the operator of the server says about itself. */
  readonly site: Site | undefined
  readonly passphrase: PassphraseStatus
  /** `refused`: this browser stores nothing, so no upload survives a reload. */
  readonly storage: 'asking' | 'kept' | 'refused'
  readonly isPaused: boolean
  /** What the guest has written last: in this visit, or in an earlier one for files that have not arrived. */
  readonly message: Message
  /** Rises when the guest forgets the message: the fields begin again. */
  readonly messageTurn: number
  /** What goes with the files of this visit. Each message once, without the empty one. */
  readonly messages: readonly SentMessage[]
  /** Files of this visit use up the number of files that the link had left. */
  readonly isFilled: boolean
  readonly counts: Readonly<Record<Phase, number>>
  /** Of the failed files those that another tab is sending. */
  readonly inOtherTab: number
  /** The link took one file, and this browser has sent it. */
  readonly hasUsedUpLink: boolean
  /** Bytes of the files that are chosen and not sent yet. */
  readonly chosenBytes: number
  readonly checkedReceipts: number
  /** Of these files those that a proof can be saved about. */
  readonly provable: number
  readonly proofs: ProofStatus | undefined
  /** Receipts that could not be fetched so far. */
  readonly missingReceipts: number
  readonly alarms: number
  readonly totals: Totals
  /** When there are very many rows, only the most important ones. */
  readonly rows: readonly Row[]
  readonly hiddenRows: number
  /** Only some of those that were never begun. */
  readonly unfinished: readonly Unfinished[]
  readonly neverBegun: NeverBegun
  /** What is sealed with the unfinished files already. */
  readonly unfinishedMessages: readonly SentMessage[]
  readonly remarks: readonly Remark[]
  /** Why files were held back, as far as the server has noted it for the owner of the link. */
  readonly ownerHears: readonly HeldBack[]
}

/** Is sealed with each file, for the link's owner. */
export interface Message {
  readonly note: string
  readonly sender: string
  /** To the owner's questions. Absent if there are none. */
  readonly answers?: Answers | undefined
}

export interface SentMessage {
  readonly message: Message
  /** How many files it goes with. */
  readonly files: number
}

export interface ChosenFile {
  readonly file: File
  /** Path with `/` between folders; empty for a file that was chosen by itself. */
  readonly folder: string
  /** Never the same file as an earlier one of the same name: a picture that was just taken, for example. */
  readonly isNew: boolean
}

/** Names of what was chosen and is no file to send. */
export interface NotFiles {
  /** Files and folders that the browser could not read. */
  readonly unreadable?: readonly string[]
  /** Folders without any file below them. */
  readonly emptyFolders?: readonly string[]
}

export type Command =
  | { readonly do: 'open'; readonly link: LinkParts; readonly localToken: string | undefined }
  | {
      readonly do: 'add'
      readonly files: readonly ChosenFile[]
      readonly others?: NotFiles
    }
  | { readonly do: 'send'; readonly message: Message; readonly passphrase: string | undefined }
  /** What the fields show, while the guest types. */
  | { readonly do: 'write'; readonly message: Message }
  | { readonly do: 'passphrase'; readonly passphrase: string }
  | {
      readonly do: 'pause' | 'resume' | 'retry' | 'cancel' | 'remove' | 'discard' | 'fetchReceipt'
      readonly id: string
    }
  | {
      readonly do:
        | 'addAnyway'
        | 'pauseAll'
        | 'resumeAll'
        | 'retryAll'
        | 'removeUnfit'
        | 'forgetLanded'
        | 'discardNeverBegun'
        | 'askAgain'
        | 'dropProofs'
    }
  /** The browser is online again, or the guest is back: ends all back-offs and retries now. */
  | { readonly do: 'wake' }
  /** Saves the receipts of one file, or of all files. */
  | { readonly do: 'saveReceipts'; readonly id?: string | undefined }
  /** Makes proofs about one file, or about all that were sent in this visit. */
  | { readonly do: 'makeProofs'; readonly id?: string | undefined }
  /** Saves those that were made. */
  | { readonly do: 'saveProofs' }

export type Answer =
  | { readonly is: 'snapshot'; readonly snapshot: Snapshot }
  /** A document that the browser saves as a download. */
  | { readonly is: 'document'; readonly name: string; readonly json: string }
  /** The worker has failed and does nothing more. */
  | { readonly is: 'broken' }
