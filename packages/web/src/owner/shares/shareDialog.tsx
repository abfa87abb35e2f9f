import type { CreatedShare } from '@blindkeep/client/owner'
import type { AlbumId } from '@blindkeep/protocol/ids'
import { useId, useState } from 'preact/hooks'
import { Check } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { type Action, useAction } from '../../common/work/useAction.ts'
import type { ConsentedAsset } from '../assets/shownAsset.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { NameField } from '../dialogs/nameField.tsx'
import { NewPassphrase } from '../dialogs/newPassphrase.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { sharesTexts } from '../ground/texts.ts'
import { EXPIRIES, type Expiry, expiryInstant } from './expiry.ts'
import { LimitField, limitOf } from './limitField.tsx'
import { ShareAddress } from './shareAddress.tsx'
import { noteFollowing } from './useFollowedShares.ts'
import './shares.css'

interface ShareDialogProps {
  /** What was shown is shared. Owners were asked about revoked devices' files; unsigned ones cannot be shared. */
  readonly assets: readonly ConsentedAsset[]
  /** If they are all files of an album: the share may follow it. */
  readonly album?: AlbumId | undefined
  readonly onClose: () => void
}

interface ShareWithExpiry extends CreatedShare {
  readonly expiresAt: string | undefined
  readonly maxDownloads: number | undefined
  readonly passphrase: string | undefined
}

/** Asks for a name and how long the share lasts, then shows its address. */
export function ShareDialog({ assets, album, onClose }: ShareDialogProps) {
  const text = useText(sharesTexts)
  const [created, setCreated] = useState<ShareWithExpiry>()
  const creating = useAction()
  if (created !== undefined)
    return (
      <ShareAddress
        title={text.made.title}
        {...created}
        passphraseRequired={created.passphrase !== undefined}
        onClose={onClose}
      />
    )
  return (
    // Closed while it is busy, it would leave a share of which its owner does not know.
    <AskingDialog
      title={text.create.title(assets.length)}
      closeLabel={text.close}
      onClose={onClose}
      isBusy={creating.isBusy}
    >
      <CreateShare assets={assets} album={album} action={creating} onCreated={setCreated} onCancel={onClose} />
    </AskingDialog>
  )
}

interface CreateShareProps extends Pick<ShareDialogProps, 'assets' | 'album'> {
  readonly action: Action
  readonly onCreated: (share: ShareWithExpiry) => void
  readonly onCancel: () => void
}

function CreateShare({ assets, album, action, onCreated, onCancel }: CreateShareProps) {
  const { owner } = useOwnerPages()
  const text = useText(sharesTexts)
  const [expiry, setExpiry] = useState<Expiry>('week')
  const [name, setName] = useState('')
  const [typed, setTyped] = useState('')
  const [limit, setLimit] = useState('')
  const [isFollowing, setFollowing] = useState(false)
  const { isBusy, error } = action
  const id = useId()

  const create = () => {
    const maxDownloads = limitOf(limit)
    if (maxDownloads === 'wrong') return
    return action.run(async () => {
      const expiresAt = expiryInstant(expiry, owner.now())
      const allowRevokedDevice = assets.some(({ permissions }) => permissions.allowRevokedDevice === true)
      const facts = assets.map(({ asset }) => asset)
      const passphrase = typed.trim() === '' ? undefined : typed.trim()
      const follow = isFollowing ? album : undefined
      const terms = { name, passphrase, expiresAt, maxDownloads, follow, allowRevokedDevice }
      const share = await owner.createShare(facts, terms)
      if (follow !== undefined) noteFollowing(owner)
      onCreated({ ...share, expiresAt, maxDownloads, passphrase })
    })
  }

  return (
    <form
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        void create()
      }}
    >
      <p>{text.create.explain}</p>
      <NameField label={text.create.name} hint={text.create.nameHint} name={name} onName={setName} />
      <fieldset class="stack tight" aria-describedby={id}>
        <legend class="share-legend">{text.create.expiry}</legend>
        <div class="choices">
          {EXPIRIES.map((expiryOption) => (
            <label key={expiryOption} class="choice">
              <input
                type="radio"
                name="expiry"
                value={expiryOption}
                checked={expiry === expiryOption}
                onChange={() => setExpiry(expiryOption)}
              />
              <span>{text.create.presets[expiryOption]}</span>
            </label>
          ))}
        </div>
      </fieldset>
      {album !== undefined && (
        <div class="stack tight">
          <Check checked={isFollowing} onChange={setFollowing}>
            {text.following.choice}
          </Check>
          {isFollowing && <p class="small soft">{text.following.meaning}</p>}
        </div>
      )}
      <LimitField typed={limit} onTyped={setLimit} />
      <NewPassphrase
        value={typed}
        label={text.create.passphrase}
        hint={text.create.passphraseHint}
        onInput={setTyped}
      />
      <p id={id} class="small soft">
        {text.create.privacyNote}
      </p>
      {error !== undefined && <ErrorNotice error={error} />}
      <FormButtons
        submit={isBusy ? text.create.making : text.create.submit}
        icon="share"
        isBusy={isBusy}
        onCancel={onCancel}
      />
    </form>
  )
}
