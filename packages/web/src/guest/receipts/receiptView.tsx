import { Button } from '../../common/controls/controls.tsx'
import { Icon } from '../../common/controls/icons.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import type { ReceiptStatus, Row, SignedFacts } from '../ground/messages.ts'
import { useTell } from '../ground/tell.ts'
import { guestTexts } from '../ground/texts.ts'
import { SentFacts } from './sentWith.tsx'

interface ReceiptViewProps {
  readonly row: Row
  readonly receipt: ReceiptStatus
}

/** The server's signed statement that it has the file: first what it means, then the details. */
export function ReceiptView({ row, receipt }: ReceiptViewProps) {
  const format = useText(formats)
  const text = useText(guestTexts)
  const tell = useTell()
  switch (receipt.is) {
    case 'fetching':
      return <p class="small soft">{text.receipt.fetching}</p>
    case 'missing':
      return (
        <div class="stack tight">
          <p class="small warn">{text.receipt.missing}</p>
          <div>
            <Button icon="retry" onClick={() => tell({ do: 'fetchReceipt', id: row.id })}>
              {text.receipt.fetch}
            </Button>
          </div>
        </div>
      )
    case 'alarm':
      return <p class="small bad">{text.receipt.alarm}</p>
    case 'checked': {
      const when = format.instant(receipt.signed.receivedAt)
      return (
        <details class="receipt">
          <summary class="small">
            <Icon name="receipt" />
            <span>
              {text.receipt.short}
              <span class="receipt-when">, {when}</span>
            </span>
          </summary>
          <div class="stack">
            <p class="small">{text.receipt.checked(when, format.bytes(receipt.signed.sealedBytes))}</p>
            <ReceiptFacts signed={receipt.signed} />
            <p class="small soft">{text.receipt.limits}</p>
            {row.message !== undefined && (
              <>
                <p class="small">{text.sentWith.unsigned}</p>
                <SentFacts message={row.message} />
              </>
            )}
            <div class="row">
              <Button icon="download" onClick={() => tell({ do: 'saveReceipts', id: row.id })}>
                {text.receipt.save}
              </Button>
              {row.isProvable && (
                <Button icon="key" onClick={() => tell({ do: 'makeProofs', id: row.id })}>
                  {text.receipt.proof}
                </Button>
              )}
            </div>
          </div>
        </details>
      )
    }
  }
}

export function ReceiptFacts({ signed }: { readonly signed: SignedFacts }) {
  const format = useText(formats)
  const text = useText(guestTexts)
  const { receipt } = text
  const facts = [
    [receipt.signedAt, format.instant(signed.receivedAt)],
    [receipt.number, format.number(signed.receiptNumber)],
    [receipt.server, signed.serverId],
    [receipt.size, receipt.bytes(format.number(signed.sealedBytes))],
    [receipt.algorithms, receipt.both],
    [receipt.hash, signed.sealedHash],
    [receipt.key, signed.keyId],
  ] as const
  return (
    <dl class="receipt-facts small">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt class="soft">{name}</dt>
          <dd class={value.length === 64 ? 'mono' : ''}>{value}</dd>
        </div>
      ))}
    </dl>
  )
}
