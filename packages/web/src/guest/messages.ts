/** What the page and its worker tell each other. The page asks, the worker answers with the whole of what there is to draw. */

/** Why the link takes nothing, or nothing yet. */
export type LinkFault =
  | 'malformed'
  | 'fragment_missing'
  | 'key_swapped'
  | 'suite_unknown'
  | 'closed'
  | 'busy'
  | 'unreachable'
  | 'answer_broken'

export type LinkStanding =
  | { readonly is: 'asking' }
  | { readonly is: 'open'; readonly limits: Limits }
  | { readonly is: 'refused'; readonly fault: LinkFault; readonly isRetrying: boolean }

/** As told before anything is sent. All sizes in bytes; what is absent has no limit. */
export interface Limits {
  readonly fileBytesMax?: number | undefined
  readonly remainingBytes?: number | undefined
  readonly remainingFiles?: number | undefined
  /** RFC 3339. */
  readonly expiresAt?: string | undefined
}

/** `refused`: the server did not take the one that was given. */
export type PassphraseStanding = 'not_needed' | 'wanted' | 'given' | 'refused'

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
  /** These three are known before anything is sent. */
  | 'too_large'
  | 'too_many'
  | 'no_room'
  | 'no_connection'
  | 'busy'
  | 'link_closed'
  | 'link_full'
  | 'owner_full'
  | 'damaged_on_the_way'
  | 'chunk_refused'
  | 'file_changed'
  | 'unreadable'
  | 'too_large_for_server'
  | 'other_tab'
  | 'key_swapped'
  | 'refused'
  | 'unexpected'

/** What another try would do: go on, begin from the start, or nothing that helps. */
export type Retry = 'go_on' | 'as_new_file' | 'none'

export type ReceiptStanding =
  | { readonly is: 'fetching' }
  | { readonly is: 'checked'; readonly signed: SignedFacts }
  /** The server did not give it out so far. */
  | { readonly is: 'missing' }
  /** What the server gave does not hold. */
  | { readonly is: 'alarm'; readonly reason: string }

/** What the server's signature says. */
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
  /** With `/` between, empty for a file that was chosen by itself. */
  readonly folder: string
  readonly size: number
  readonly phase: Phase
  /** Sealed bytes that are done in this phase, of so many. */
  readonly bytes: number
  readonly of: number
  /** The line is down, and another try follows by itself. */
  readonly isRetrying: boolean
  /** Something of it is on the server that is lost when it is cancelled here. */
  readonly isBegun: boolean
  readonly failure?: FailureReason | undefined
  readonly retry: Retry
  readonly receipt?: ReceiptStanding | undefined
  /** Landed in an earlier visit, RFC 3339. */
  readonly landedAt?: string | undefined
}

/** An upload of an earlier visit, whose file has to be chosen again. */
export interface Unfinished {
  readonly id: string
  readonly name: string
  readonly folder: string
  readonly size: number
  readonly bytes: number
  readonly of: number
  readonly isInOtherTab: boolean
  /** The server has nothing of it any more. */
  readonly isGone: boolean
}

export interface Totals {
  /** Files that were asked to be sent in this visit, cancelled ones left out. */
  readonly files: number
  readonly landed: number
  /** Sealed bytes. */
  readonly bytes: number
  readonly of: number
  readonly secondsLeft?: number | undefined
  readonly isRetrying: boolean
}

/** Said once; `serial` rises with each. */
export interface Remark {
  readonly serial: number
  readonly about: 'already_there' | 'already_landed' | 'not_taken' | 'nothing_chosen' | 'not_read'
  readonly count: number
  /** The first of them. */
  readonly name: string
}

export interface Snapshot {
  readonly link: LinkStanding
  readonly passphrase: PassphraseStanding
  /** `refused`: this browser keeps nothing, so nothing can go on after a reload. */
  readonly storage: 'asking' | 'kept' | 'refused'
  readonly isPaused: boolean
  readonly counts: Readonly<Record<Phase, number>>
  /** Bytes of the files that are chosen and not yet asked to be sent. */
  readonly chosenBytes: number
  readonly checkedReceipts: number
  /** Could not be fetched so far. */
  readonly missingReceipts: number
  readonly alarms: number
  readonly totals: Totals
  /** Some of the rows when there are very many. */
  readonly rows: readonly Row[]
  readonly hiddenRows: number
  readonly unfinished: readonly Unfinished[]
  readonly remark?: Remark | undefined
}

/** Sealed with each file, for the link's owner. */
export interface Message {
  readonly note: string
  readonly sender: string
}

export interface ChosenFile {
  readonly file: File
  /** With `/` between, empty for a file that was chosen by itself. */
  readonly folder: string
  /** Taken this moment: a file of the same name is then another one. */
  readonly isFromCamera: boolean
}

export type Command =
  | { readonly do: 'open'; readonly link: { baseUrl: string; opaqueId: string; fragment: string } }
  | {
      readonly do: 'add'
      readonly files: readonly ChosenFile[]
      /** Names of what was chosen with them and the browser could not read. */
      readonly unread?: readonly string[] | undefined
    }
  | { readonly do: 'send'; readonly message: Message; readonly passphrase: string | undefined }
  | { readonly do: 'passphrase'; readonly passphrase: string }
  | {
      readonly do: 'pause' | 'resume' | 'retry' | 'cancel' | 'remove' | 'discard' | 'fetchReceipt'
      readonly id: string
    }
  | { readonly do: 'pauseAll' | 'resumeAll' | 'retryAll' | 'removeUnfit' | 'forgetLanded' | 'askAgain' }
  /** The line, or the person, is back: what waits for another try need not wait longer. */
  | { readonly do: 'wake' }
  /** Of one file, or of all. */
  | { readonly do: 'saveReceipts'; readonly id?: string | undefined }

export type Answer =
  | { readonly is: 'snapshot'; readonly snapshot: Snapshot }
  /** To be saved where the person says. */
  | { readonly is: 'document'; readonly name: string; readonly json: string }
  /** The worker can't go on. */
  | { readonly is: 'broken' }
