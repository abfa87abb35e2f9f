import { ProblemError } from '@blindkeep/client/errors'
import type { AddChannel, AddedChannel } from '@blindkeep/client/owner'
import { useState } from 'preact/hooks'
import { Field } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { useAction } from '../../common/work/useAction.ts'
import { ErrorNotice } from '../dialogs/errorNotice.tsx'
import { FormButtons } from '../dialogs/formButtons.tsx'
import { errorTexts } from '../ground/errorText.ts'
import { useOwnerPages } from '../ground/ownerPages.ts'
import { accountTexts } from '../ground/texts.ts'
import { channelNameOf } from './channelName.ts'
import { CheckedForm } from './checkedForm.tsx'

interface AddChannelFormProps {
  readonly offered: readonly AddChannel['kind'][]
  readonly onAdded: (added: AddedChannel) => void
  readonly onClose: () => void
}

export function AddChannelForm({ offered, onAdded, onClose }: AddChannelFormProps) {
  const { owner } = useOwnerPages()
  const text = useText(accountTexts)
  const errorText = useText(errorTexts)
  const [kind, setKind] = useState<AddChannel['kind']>(offered[0] ?? 'webhook')
  const [address, setAddress] = useState('')
  const [token, setToken] = useState('')
  const action = useAction()
  const { error } = action
  const isWrong = error instanceof ProblemError && error.code === 'error.channel.invalid'
  const add = () =>
    action.run(async () => {
      const given = kind === 'ntfy' && token.trim() !== '' ? { token: token.trim() } : {}
      const url = address.trim()
      onAdded(await owner.addChannel({ kind, address: url, name: channelNameOf(url), ...given }))
    })
  const kindText = text.notify.kinds[kind]
  return (
    <CheckedForm
      isComplete={address.trim() !== ''}
      onSubmit={() => void add()}
      fieldError={isWrong ? error : undefined}
    >
      {(hasTried) => (
        <>
          {error !== undefined && !isWrong && <ErrorNotice error={error} />}
          <Field label={text.notify.kind}>
            {(input) => (
              <select
                {...input}
                value={kind}
                onChange={(event) => {
                  const chosen = offered.find((each) => each === event.currentTarget.value)
                  if (chosen !== undefined) setKind(chosen)
                  action.clear()
                }}
              >
                {offered.map((each) => (
                  <option key={each} value={each}>
                    {text.notify.kinds[each].name}
                  </option>
                ))}
              </select>
            )}
          </Field>
          <Field
            label={kindText.address}
            hint={kindText.hint}
            fault={isWrong ? errorText(error) : hasTried && address.trim() === '' ? text.required : undefined}
          >
            {(input) => (
              <input
                {...input}
                type="text"
                inputMode={kind === 'email' ? 'email' : 'url'}
                value={address}
                required
                autocomplete="off"
                autocapitalize="none"
                spellcheck={false}
                onInput={(event) => setAddress(event.currentTarget.value)}
              />
            )}
          </Field>
          {kind === 'ntfy' && (
            <Field label={text.notify.token} hint={text.notify.tokenHint}>
              {(input) => (
                <input
                  {...input}
                  value={token}
                  autocomplete="off"
                  autocapitalize="none"
                  spellcheck={false}
                  onInput={(event) => setToken(event.currentTarget.value)}
                />
              )}
            </Field>
          )}
          <FormButtons submit={text.notify.submit} isBusy={action.isBusy} onCancel={onClose} />
        </>
      )}
    </CheckedForm>
  )
}
