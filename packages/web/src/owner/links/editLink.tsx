/** Changes the name of a link, when it expires, and what it accepts. */

import type { OwnLink } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Notice } from '../../common/controls/controls.tsx'
import { focusFault } from '../../common/drawing/focusFault.ts'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { AskingDialog } from '../dialogs/askingDialog.tsx'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { linksTexts } from '../ground/texts.ts'
import { CapFields } from './linkCaps.tsx'
import { type DraftFaults, draftOf, readChange } from './linkDraft.ts'
import { ExpiryFields, GuestWordsFields, LabelField } from './linkFields.tsx'
import { labelOf } from './linkLabel.ts'
import { QuestionFields } from './questionFields.tsx'

interface EditLinkProps {
  readonly link: OwnLink
  readonly onClose: () => void
  readonly onChanged: () => void
}

export function EditLink({ link, onClose, onChanged }: EditLinkProps) {
  const { owner, showMessage } = useOwnerPages()
  const text = useText(linksTexts)
  const [draft, setDraft] = useState(() => draftOf(link))
  const [faults, setFaults] = useState<DraftFaults>({})
  const { isBusy, error, run } = useAction()
  const label = labelOf(link, text)
  const fields = {
    draft,
    faults,
    change: (changed: Partial<typeof draft>) => setDraft({ ...draft, ...changed }),
  }

  async function save(form: HTMLFormElement): Promise<void> {
    const read = readChange(draft, link, owner.now())
    setFaults(read.faults)
    const { change } = read
    if (change === undefined) return focusFault(form)
    const isSaved = await run(async () => {
      await owner.changeLink(link.opaqueId, change)
    })
    if (!isSaved) return
    showMessage({ tone: 'good', text: text.editing.done(labelOf({ label: change.label ?? link.label }, text)) })
    onChanged()
    onClose()
  }

  return (
    <AskingDialog title={text.editing.title(label)} closeLabel={text.close} onClose={onClose}>
      <form
        class="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save(event.currentTarget)
        }}
      >
        <p class="soft">{text.editing.about}</p>
        <LabelField {...fields} />
        {link.titleFault !== undefined && <Notice tone="warn">{text.editing.unread}</Notice>}
        <GuestWordsFields {...fields} />
        <QuestionFields {...fields} />
        <ExpiryFields {...fields} />
        <CapFields {...fields} />
        {error !== undefined && <ErrorNotice error={error} />}
        <FormButtons submit={text.editing.submit} isBusy={isBusy} onCancel={onClose} />
      </form>
    </AskingDialog>
  )
}
