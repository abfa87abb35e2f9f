import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Limits, LinkStatus, Phase, Snapshot, Unfinished } from './messages.ts'
import {
  canContinue,
  earlierOf,
  haveMessage,
  isChecking,
  isFileLimited,
  isProven,
  isShut,
  noticeOf,
  outcomeOf,
} from './standing.ts'

const PHASES = {
  ...{ chosen: 0, unfit: 0, waiting: 0, preparing: 0, sending: 0 },
  ...{ finishing: 0, landed: 0, paused: 0, failed: 0, cancelled: 0 },
} satisfies Record<Phase, number>

type Given = Partial<Omit<Snapshot, 'counts' | 'totals'>> & {
  readonly counts?: Partial<Record<Phase, number>>
  readonly sent?: { readonly files: number; readonly landed: number; readonly arrived?: number }
}

function snapshot({ counts = {}, sent = { files: 0, landed: 0 }, ...given }: Given): Snapshot {
  return {
    ...{
      link: open({}),
      site: undefined,
      passphrase: 'not_needed',
      storage: 'kept',
      isPaused: false,
      message: { note: '', sender: '' },
      messageTurn: 0,
      messages: [],
      isFilled: false,
      inOtherTab: 0,
      hasUsedUpLink: false,
    },
    ...{
      chosenBytes: 0,
      checkedReceipts: 0,
      provable: 0,
      proofs: undefined,
      missingReceipts: 0,
      alarms: 0,
      rows: [],
      hiddenRows: 0,
      unfinished: [],
      unfinishedMessages: [],
      remarks: [],
      ownerHears: [],
    },
    neverBegun: { files: 0, hasFolders: false },
    ...given,
    counts: { ...PHASES, ...counts },
    totals: { arrived: sent.landed, ...sent, doneBytes: 0, totalBytes: 0 },
  }
}

const SILENT = { title: undefined, message: undefined, from: undefined }
const open = (limits: Limits): LinkStatus => ({ is: 'open', limits, words: SILENT })
const closed: LinkStatus = { is: 'refused', fault: 'closed', isRetrying: false }
const full = open({ remainingFiles: 0 })
const upload = (change: Partial<Unfinished> = {}): Unfinished => ({
  ...{ id: 'a', name: 'a', folder: '', size: 1, doneBytes: 1, totalBytes: 2, isInOtherTab: false, standing: 'kept' },
  ...change,
})

describe('files that are not sent and have their message', () => {
  const file = { id: '1', name: 'a', folder: '', size: 1, doneBytes: 0, totalBytes: 1, isInOtherTab: false } as const
  for (const [what, given, is] of [
    ['none', {}, false],
    ['begun in an earlier visit', { unfinished: [{ ...file, standing: 'kept' }] }, true],
    ['begun, and deleted by the server', { unfinished: [{ ...file, standing: 'deleted' }] }, true],
    ['begun in another tab', { unfinished: [{ ...file, standing: 'kept', isInOtherTab: true }] }, true],
    ['never begun', { unfinished: [{ ...file, standing: 'never_begun' }] }, false],
    ['failed', { counts: { failed: 1 } }, true],
    ['cancelled', { counts: { cancelled: 1 } }, true],
  ] as readonly (readonly [string, Given, boolean])[])
    it(`${what}: ${is}`, () => assert.equal(haveMessage(snapshot(given)), is))
})

describe('a link for its guest', () => {
  it('takes files while it is open, and while the server cannot be asked', () => {
    const asking: LinkStatus = { is: 'refused', fault: 'unreachable', isRetrying: true }
    for (const link of [open({}), open({ remainingFiles: 1, singleUse: true }), { is: 'asking' } as const, asking])
      assert.deepEqual([isShut(snapshot({ link })), noticeOf(snapshot({ link }))], [false, undefined])
  })

  it('is shut when it is full or closed, and says another thing to a guest whose files arrived or can continue', () => {
    const cases = [
      [{ link: full }, 'full'],
      [{ link: open({ fileBytesMax: 0 }) }, 'no_room'],
      [{ link: open({ fileBytesMax: 0, remainingFiles: 9 }), counts: { landed: 1 } }, 'no_room_for_new'],
      [{ link: open({ fileBytesMax: 0, remainingFiles: 0 }) }, 'full'],
      [{ link: open({ inboxFull: true }) }, 'inbox_full'],
      [{ link: open({ inboxFull: true, fileBytesMax: 0 }), counts: { landed: 1 } }, 'inbox_full_for_new'],
      [{ link: open({ inboxFull: true, remainingFiles: 0 }) }, 'full'],
      [{ link: full, counts: { landed: 1 } }, 'full_for_new'],
      [{ link: full, unfinished: [upload()] }, 'full_for_new'],
      [{ link: full, unfinished: [upload({ standing: 'deleted' })] }, 'full'],
      [{ link: closed }, 'closed'],
      [{ link: closed, counts: { landed: 1 } }, 'closed_for_new'],
      [{ link: closed, unfinished: [upload()] }, 'closed_for_new'],
      [{ link: closed, unfinished: [upload({ isInOtherTab: true })] }, 'closed'],
    ] as const
    for (const [given, notice] of cases)
      assert.deepEqual([isShut(snapshot(given)), noticeOf(snapshot(given))], [true, notice])
  })

  it('does not say that it is full because of the files that are being sent', () => {
    assert.equal(noticeOf(snapshot({ link: full, sent: { files: 2, landed: 1 } })), undefined)
  })

  it('is shut when the files that it takes have landed, and not while they are on their way', () => {
    const link = open({ remainingFiles: 2 })
    assert.equal(isShut(snapshot({ link, isFilled: true, sent: { files: 2, landed: 2 } })), true)
    assert.equal(isShut(snapshot({ link, isFilled: true, sent: { files: 2, landed: 1 } })), false)
    assert.equal(isShut(snapshot({ link, sent: { files: 1, landed: 1 } })), false)
  })

  it('limits single files only where its total does not do so already', () => {
    assert.equal(isFileLimited({ fileBytesMax: 9, sealedBytesMax: 10, remainingBytes: 11 }), true)
    assert.equal(isFileLimited({ fileBytesMax: 9, sealedBytesMax: 10 }), true)
    assert.equal(isFileLimited({ fileBytesMax: 9, remainingBytes: 10 }), false)
    assert.equal(isFileLimited({ fileBytesMax: 9, sealedBytesMax: 11, remainingBytes: 10 }), false)
  })

  it('lets an upload continue that this tab can send', () => {
    assert.equal(canContinue(snapshot({ unfinished: [upload({ standing: 'deleted' }), upload()] })), true)
    assert.equal(canContinue(snapshot({ unfinished: [upload({ isInOtherTab: true })] })), false)
  })
})

describe('the outcome of a visit', () => {
  it('is known when no file is on its way', () => {
    assert.equal(outcomeOf(snapshot({ sent: { files: 2, landed: 1 } })), undefined)
    assert.equal(outcomeOf(snapshot({ counts: { failed: 1 } })), undefined)
    const outcome = outcomeOf(snapshot({ sent: { files: 2, landed: 2 } }))
    assert.deepEqual(outcome, { arrived: 2, unproven: 0, missing: 0, shown: [], isAll: true })
  })

  it('counts the files of this visit, and those that arrived before it apart', () => {
    const after = snapshot({ counts: { landed: 25 }, checkedReceipts: 24, sent: { files: 4, landed: 4 } })
    assert.deepEqual([outcomeOf(after)?.arrived, earlierOf(after)], [4, 20])
  })

  it('counts as arrived only what has a checked receipt', () => {
    const sent = { files: 5, landed: 5, arrived: 2 }
    const waiting = snapshot({ counts: { landed: 5 }, checkedReceipts: 2, alarms: 1, sent })
    const { arrived, unproven } = outcomeOf(waiting) ?? {}
    assert.deepEqual([arrived, unproven, isChecking(waiting), isProven(waiting)], [2, 3, true, false])
    const over = snapshot({ counts: { landed: 5 }, checkedReceipts: 2, alarms: 1, missingReceipts: 2, sent })
    assert.deepEqual([isChecking(over), isProven(over)], [false, false])
  })

  it('counts the files that failed and that did not fit, and is not all then', () => {
    const outcome = outcomeOf(
      snapshot({ counts: { failed: 1, unfit: 2, cancelled: 4 }, sent: { files: 3, landed: 3 } }),
    )
    assert.deepEqual([outcome?.missing, outcome?.isAll], [3, false])
  })

  it('counts no file as missing that another tab is sending, and is not all then', () => {
    const after = snapshot({ counts: { failed: 2 }, inOtherTab: 1, sent: { files: 1, landed: 1 } })
    assert.deepEqual([outcomeOf(after)?.missing, outcomeOf(after)?.isAll], [1, false])
    const other = snapshot({ counts: { failed: 1 }, inOtherTab: 1, sent: { files: 1, landed: 1 } })
    assert.deepEqual([outcomeOf(other)?.missing, outcomeOf(other)?.isAll], [0, false])
  })

  it('is not all while files are chosen or unfinished', () => {
    const sent = { files: 1, landed: 1 }
    assert.equal(outcomeOf(snapshot({ sent, counts: { chosen: 1 } }))?.isAll, false)
    assert.equal(outcomeOf(snapshot({ sent, unfinished: [upload()] }))?.isAll, false)
  })
})
