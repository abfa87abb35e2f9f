import { AuditError } from '@blindkeep/client/errors'
import { erasOf, publishedKeys } from '@blindkeep/client/receipts'
import type { CheckedAssetReceipt, CheckedAssetReceipts } from '@blindkeep/client/verify'
import type { AssetId } from '@blindkeep/protocol/ids'
import { Button, Dialog, Name, Notice, Progress } from '../../common/controls/controls.tsx'
import { Fact } from '../../common/controls/fact.tsx'
import { download } from '../../common/files/download.ts'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { isolated } from '../../common/names/isolated.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { storageTexts } from '../ground/texts.ts'
import { knownPins, rememberPins } from './knownPins.ts'
import type { Outcome } from './outcomes.ts'

export interface ReceiptsOf {
  readonly assetId: AssetId
  /** The file name that the owner sees. */
  readonly name: string
  /** Of the file that the check has found; undefined when it has found none. */
  readonly hashes: Outcome['hashes']
}

interface ReceiptsDialogProps {
  readonly of: ReceiptsOf
  readonly onClose: () => void
}

export function ReceiptsDialog({ of, onClose }: ReceiptsDialogProps) {
  const { owner, baseUrl } = useOwnerPages()
  const { receipts: text, audit } = useText(storageTexts)
  const { value, error, reload } = useLoaded(async (signal) => {
    const { pinned } = await knownPins(baseUrl)
    const checked = await owner.assetReceipts(of.assetId, { pinned, hashes: of.hashes, signal })
    await rememberPins(checked.keys)
    return { ...checked, formerNames: await formerNamesOf(checked) }
  }, of.assetId)
  return (
    <Dialog title={text.title(isolated(of.name))} closeLabel={text.close} onClose={onClose}>
      {value === undefined && error === undefined && (
        <>
          <p role="status">{text.loading}</p>
          <Progress label={text.loading} />
        </>
      )}
      {error instanceof AuditError ? (
        <Notice tone="bad">
          <p>
            <strong>{text.wrongTitle}</strong>
          </p>
          <p>{audit[error.reason]}</p>
          <p>{text.wrong}</p>
        </Notice>
      ) : (
        error !== undefined && <ErrorNotice error={error} onRetry={reload} />
      )}
      {value !== undefined && error === undefined && <Receipts checked={value} assetId={of.assetId} />}
    </Dialog>
  )
}

/** Until when a server had a name that it has no more, by this name, as it says itself: RFC 3339. */
type FormerNames = ReadonlyMap<string, string>

/** Of the receipts that name the server as it was called then. */
async function formerNamesOf({ receipts, keys }: CheckedAssetReceipts): Promise<FormerNames> {
  const eras = new Map((await erasOf(keys))?.map((era) => [era.keyId, era]))
  const named = receipts.flatMap(({ signed: { keyId, payload } }) => {
    const until = eras.get(keyId)?.until
    return payload.server_id === keys.serverId || until === undefined ? [] : [[payload.server_id, until] as const]
  })
  return new Map(named)
}

interface ReceiptsProps {
  readonly checked: CheckedAssetReceipts & { readonly formerNames: FormerNames }
  readonly assetId: AssetId
}

function Receipts({ checked, assetId }: ReceiptsProps) {
  const text = useText(storageTexts).receipts
  const format = useText(formats)
  const { receipts, keys, formerNames } = checked
  return (
    <>
      <Notice tone="good">
        <p>
          <strong>{text.checkedTitle(receipts.length)}</strong>
        </p>
        <p class="small">{formerNames.size === 0 ? text.checked : text.checkedNames}</p>
        {[...formerNames].map(([name, until]) => (
          <p key={name} class="small">
            {text.formerName(keys.serverId, name, format.instant(until))}
          </p>
        ))}
      </Notice>
      <ol class="stack">
        {receipts.map((one) => (
          <Receipt key={one.receipt.receipt_seq} one={one} />
        ))}
      </ol>
      <p class="small soft">{text.keep}</p>
      <div>
        {/* In the server's formats, which the checkers read. */}
        <Button
          icon="download"
          onClick={() =>
            saveJson(`receipts-${assetId}.json`, {
              asset_id: assetId,
              ...publishedKeys(keys),
              receipts: receipts.map(({ receipt }) => receipt),
            })
          }
        >
          {text.saveAll}
        </Button>
      </div>
    </>
  )
}

function Receipt({ one: { receipt, signed } }: { readonly one: CheckedAssetReceipt }) {
  const text = useText(storageTexts).receipts
  const format = useText(formats)
  const { payload } = signed
  const isLanding = payload.asset_id === undefined
  const facts = [
    [text.number, String(payload.receipt_seq)],
    [text.server, payload.server_id],
    [text.received, format.instant(payload.received_at)],
    [text.size, format.bytes(payload.size)],
    [text.hash, payload.ciphertext_hash],
    [text.key, receipt.server_key_id],
    [text.prior, payload.prior_receipt_hash ?? text.first],
    [text.upload, payload.upload_id],
  ] as const
  return (
    <li class="receipt stack tight">
      <p class="row apart">
        <strong>{isLanding ? text.landing : text.roles[payload.blob_role]}</strong>
        <span class="badge good">{text.ok}</span>
      </p>
      <dl class="facts small">
        {facts.map(([name, value]) => (
          <Fact key={name} term={name} termClass="soft" valueClass={value.length > 30 ? 'mono' : undefined}>
            <Name>{value}</Name>
          </Fact>
        ))}
      </dl>
      <div>
        <button
          type="button"
          class="button quiet"
          aria-label={text.saveOf(payload.receipt_seq)}
          onClick={() => saveJson(`receipt-${payload.receipt_seq}.json`, receipt)}
        >
          {text.save}
        </button>
      </div>
    </li>
  )
}

function saveJson(name: string, value: unknown): void {
  download(new Blob([`${JSON.stringify(value, undefined, 2)}\n`], { type: 'application/json' }), name)
}
