import { useState } from 'preact/hooks'
import { Button, Notice } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import type { Row, Snapshot } from '../ground/messages.ts'
import { isForOneFile, outcomeOf } from '../ground/standing.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'
import { AllReceipts } from '../receipts/allReceipts.tsx'
import { SentWith } from '../receipts/sentWith.tsx'
import { ConfirmCancel } from './confirmCancel.tsx'
import { FewFiles } from './fewFiles.tsx'
import { Forget } from './forget.tsx'
import { QueueRow } from './queueRow.tsx'

/** Files that do not fit are named above a list of more than this, whose rows are not seen at once. */
const LONG_LIST = 10
const MAX_NAMED = 5

export function Queue({ snapshot }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const [cancelling, setCancelling] = useState<Row>()
  const { rows, hiddenRows, passphrase } = snapshot
  if (rows.length === 0) return null
  const waitsForPassphrase = passphrase === 'refused' || passphrase === 'wanted'
  return (
    <section class="card stack queue" aria-labelledby="queue-heading">
      <h2 id="queue-heading">{text.queue.heading}</h2>
      <Troubles snapshot={snapshot} />
      <SentWith snapshot={snapshot} />
      <ul class="rows">
        {rows.map((row) => (
          <QueueRow key={row.id} row={row} waitsForPassphrase={waitsForPassphrase} onConfirmCancel={setCancelling} />
        ))}
      </ul>
      {hiddenRows > 0 && <p class="soft small">{text.queue.hidden(hiddenRows)}</p>}
      {outcomeOf(snapshot) === undefined && <AllReceipts snapshot={snapshot} />}
      <Forget snapshot={snapshot} />
      {cancelling !== undefined && (
        <ConfirmCancel
          file={cancelling}
          onClose={() => setCancelling(undefined)}
          onYes={() => tell({ do: 'cancel', id: cancelling.id })}
        />
      )}
    </section>
  )
}

/** Problems and actions for all rows together: three failed rows are hard to find among ten thousand. */
function Troubles({ snapshot }: { readonly snapshot: Snapshot }) {
  const text = useText(guestTexts)
  const tell = useTell()
  const { counts, rows, alarms, link, ownerHears } = snapshot
  const others = counts.chosen + counts.waiting + counts.sending + counts.preparing
  const unfitRows = rows.filter(({ phase }) => phase === 'unfit')
  const isAlone = rows.length === counts.unfit
  const unfitAtRest = isAlone ? text.unfitAlone(counts.unfit) : text.unfitRest(counts.unfit)
  const unfitBeside = isForOneFile(snapshot) ? text.onlyOne : text.unfit(counts.unfit, others)
  const unfit = others > 0 ? unfitBeside : unfitAtRest
  const isOfWrongKind = unfitRows.some(({ failure }) => failure === 'wrong_kind' || failure === 'wrong_content')
  const kinds = isOfWrongKind && link.is === 'open' ? link.words.fileKinds : undefined
  const isHeard = rows.some(({ failure }) => ownerHears.some((why) => why === failure))
  const retryable = rows.filter(({ phase, retry }) => phase === 'failed' && retry === 'resume').length
  return (
    <>
      {counts.unfit > 0 && (
        <Notice tone="warn">
          <p>{unfit}</p>
          {kinds !== undefined && <p>{text.wanted(kinds.join(', '))}</p>}
          {!isAlone && rows.length > LONG_LIST && (
            <FewFiles rows={unfitRows.slice(0, MAX_NAMED)} count={counts.unfit} />
          )}
          {counts.unfit > 1 && (
            <div>
              <Button icon="trash" onClick={() => tell({ do: 'removeUnfit' })}>
                {text.actions.removeUnfit(counts.unfit)}
              </Button>
            </div>
          )}
        </Notice>
      )}
      {isHeard && (
        <p class="soft small" role="status">
          {isOfWrongKind ? text.ownerHearsLimits : text.ownerHears}
        </p>
      )}
      {retryable > 1 && (
        <div>
          <Button icon="retry" onClick={() => tell({ do: 'retryAll' })}>
            {text.actions.retryAll(retryable)}
          </Button>
        </div>
      )}
      {alarms > 0 && (
        <Notice tone="bad">
          <p>{text.receipt.alarms(alarms)}</p>
        </Notice>
      )}
    </>
  )
}
