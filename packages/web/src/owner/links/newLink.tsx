/** Creates a link and shows it. */

import type { CreatedLink, OwnLink } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Button, DialogEnd, Notice } from '../../common/controls/controls.tsx'
import { focusFault } from '../../common/drawing/focusFault.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { linksTexts } from '../ground/texts.ts'
import { copyOf, type DraftFaults, type LinkDraft, PRESETS, type Preset, readDraft, withPreset } from './linkDraft.ts'
import { LinkFields } from './linkFields.tsx'
import { labelOf } from './linkLabel.ts'
import { LinkAddress } from './showLink.tsx'

interface NewLinkProps {
  /** Its limits are where the form begins. */
  readonly like?: OwnLink | undefined
  /** The owner's name for guests, if the form begins with no other link. */
  readonly from: string
  readonly onClose: () => void
  readonly onCreated: () => void
}

export function NewLink({ like, from, onClose, onCreated }: NewLinkProps) {
  const { owner } = useOwnerPages()
  const text = useText(linksTexts)
  const [preset, setPreset] = useState<Preset | undefined>(like === undefined ? 'anyone' : undefined)
  const [draft, setDraft] = useState<LinkDraft>(() =>
    like === undefined ? { ...PRESETS.anyone, from } : copyOf(like, owner.now()),
  )
  const [faults, setFaults] = useState<DraftFaults>({})
  const { isBusy, error, run } = useAction()
  const [created, setCreated] = useState<CreatedLink & { readonly passphrase: string | undefined }>()

  async function create(form: HTMLFormElement): Promise<void> {
    const read = readDraft(draft, owner.now())
    setFaults(read.faults)
    const { link } = read
    if (link === undefined) return focusFault(form)
    await run(async () => {
      setCreated({ ...(await owner.createLink(link)), passphrase: link.passphrase })
      onCreated()
    })
  }

  if (created !== undefined)
    return (
      <AskingDialog
        key="created"
        title={text.ready.title}
        closeLabel={text.close}
        onClose={onClose}
        holdsSecret={created.passphrase !== undefined}
      >
        <Notice tone="good">{text.ready.created}</Notice>
        <LinkAddress {...created} />
        <DialogEnd>
          <Button onClick={onClose}>{text.ready.done}</Button>
        </DialogEnd>
      </AskingDialog>
    )
  return (
    // Closed while it is busy, it would leave a link whose passphrase was never shown.
    <AskingDialog key="form" title={text.form.title} closeLabel={text.close} onClose={onClose} isBusy={isBusy}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void create(event.currentTarget)
        }}
      >
        {like !== undefined && <p class="soft">{text.form.like(labelOf(like, text))}</p>}
        {like?.passphraseRequired === true && <Notice tone="warn">{text.form.likePassphrase}</Notice>}
        {like?.titleFault !== undefined && <Notice tone="warn">{text.form.likeUnread}</Notice>}
        <LinkFields
          asksPassphrase={like?.passphraseRequired === true}
          draft={draft}
          preset={preset}
          faults={faults}
          onDraft={setDraft}
          onPreset={(chosen) => {
            setPreset(chosen)
            setDraft(withPreset(draft, chosen))
            setFaults({})
          }}
        />
        {error !== undefined && <ErrorNotice error={error} />}
        <FormButtons submit={text.form.submit} icon="link" isBusy={isBusy} onCancel={onClose} />
      </form>
    </AskingDialog>
  )
}
