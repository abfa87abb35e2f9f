import type { AssetFacts, ListedDevice } from '@blindkeep/client/owner'
import { Name } from '../../common/controls/controls.tsx'
import { Fact } from '../../common/controls/fact.tsx'
import { formats } from '../../common/language/format.ts'
import { useText } from '../../common/language/reader.ts'
import { useLoaded } from '../../common/work/useLoaded.ts'
import { hashesOf, type ShownAsset, type Trust } from '../assets/shownAsset.ts'
import { errorTexts } from '../ground/errorText.ts'
import { keyName } from '../ground/keyName.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts, albumsTexts } from '../ground/texts.ts'
import { ShowingFile } from '../shares/showingShares.tsx'
import { knownPins, rememberPins } from '../storage/knownPins.ts'
import { isProtected } from './protection.ts'

interface AssetFactListProps {
  readonly shown: ShownAsset
  /** As the server states it now: since it was shown there may be more receipts, or a protection from deletion. */
  readonly present: Pick<AssetFacts, 'changedAt' | 'retainedUntil'>
}

/** What the signature covers, and the server's times. Unsigned assets have no reliable size, name or origin. */
export function AssetFactList({ shown, present: { changedAt, retainedUntil } }: AssetFactListProps) {
  const { owner } = useOwnerPages()
  const format = useText(formats)
  const { asset, description, trust } = shown
  const isDrop = description !== undefined && asset.envelope.key_mode === 'wrapped'
  const text = useText(albumsTexts).asset
  const when = (instant: string) => format.instant(instant)
  return (
    <section class="card stack" aria-label={text.facts}>
      <h2>{text.facts}</h2>
      <dl class="asset-facts">
        {description !== undefined && <Fact term={text.size}>{format.bytes(description.size)}</Fact>}
        <Fact term={text.kept}>{when(asset.createdAt)}</Fact>
        {isProtected(retainedUntil, owner.now()) && <Fact term={text.protectedUntil}>{when(retainedUntil)}</Fact>}
        {description?.modifiedAt !== undefined && <Fact term={text.modified}>{when(description.modifiedAt)}</Fact>}
        {description?.type !== undefined && (
          <Fact term={text.type}>
            <Name>{description.type}</Name>
          </Fact>
        )}
        {description?.sender !== undefined && (
          <Fact term={text.sender}>
            <Name>{description.sender}</Name> <span class="small soft">{text.senderHint}</span>
          </Fact>
        )}
        {description?.fields?.map(([label, value], at) => (
          // A guest can repeat a label.
          <Fact key={`${at} ${label}`} term={<Name>{label}</Name>}>
            <Name>{value}</Name> {at === 0 && <span class="small soft">{text.answerHint}</span>}
          </Fact>
        ))}
        {description?.note !== undefined && (
          <Fact term={text.note}>
            <span class="asset-note">
              <Name>{description.note}</Name>
            </span>
          </Fact>
        )}
        {isDrop && asset.drop !== undefined && <Fact term={text.arrived}>{when(asset.drop.receivedAt)}</Fact>}
        {description?.signed !== undefined && (
          <Fact term={text.signedBy}>
            <Signer signed={description.signed} trust={trust} />
          </Fact>
        )}
        <Fact term={text.receipts}>
          <Receipts asset={asset} changedAt={changedAt} />
        </Fact>
        <Fact term={text.sharedWith}>
          <ShowingFile asset={asset} />
        </Fact>
      </dl>
    </section>
  )
}

interface SignerProps {
  readonly signed: NonNullable<NonNullable<ShownAsset['description']>['signed']>
  readonly trust: Trust
}

function Signer({ signed: { deviceId, timestamp }, trust }: SignerProps) {
  const { owner } = useOwnerPages()
  const text = useText(albumsTexts).asset
  const format = useText(formats)
  const devices = useLoaded(() => owner.devices())
  const device: ListedDevice | undefined = devices.value?.find((one) => one.deviceId === deviceId)
  const key = useText(accountTexts).devices.device(keyName(deviceId))
  return (
    <>
      {device?.name === undefined ? (
        key
      ) : (
        <>
          <Name>{device.name}</Name>, {key}
        </>
      )}
      {device !== undefined && `, ${text.keyAdded(format.instant(device.createdAt))}`}
      <span class="small soft"> · {format.instant(timestamp)}</span>
      {trust.kind === 'revoked' && <span class="small soft"> · {text.deviceRevoked}</span>}
    </>
  )
}

/** Fetches and checks all receipts: an unchecked number would mean nothing. */
function Receipts({ asset, changedAt }: { readonly asset: AssetFacts; readonly changedAt: string }) {
  const { owner, baseUrl } = useOwnerPages()
  const text = useText(albumsTexts).asset
  const errorText = useText(errorTexts)
  const receipts = useLoaded(async (signal) => {
    const { pinned } = await knownPins(baseUrl)
    const checked = await owner.assetReceipts(asset.assetId, { pinned, hashes: hashesOf(asset), signal })
    await rememberPins(checked.keys)
    return checked.receipts.length
  }, changedAt)
  return (
    <>
      {receipts.error !== undefined && <span class="fault">{errorText(receipts.error)}</span>}
      {receipts.error === undefined &&
        (receipts.value === undefined ? text.receiptsChecking : text.receiptsChecked(receipts.value))}
      <br />
      <a class="to-storage" href="#/storage">
        {text.storage}
      </a>
    </>
  )
}
