import { MAX_LINK_TITLE_CHARACTERS } from '@blindkeep/protocol/suites'
import { Check, Field } from '../../common/controls/controls.tsx'
import { useText } from '../../common/language/reader.ts'
import { NewPassphrase } from '../dialogs/newPassphrase.tsx'
import { linksTexts } from '../ground/texts.ts'
import { CapFields, type CapFieldsProps, faultText } from './linkCaps.tsx'
import { type DraftFaults, EXPIRIES, type Expiry, type LinkDraft, type PRESETS, type Preset } from './linkDraft.ts'
import { QuestionFields } from './questionFields.tsx'

/** A label of this length fits into the server's limit, in any script. */
const MAX_LABEL_CHARACTERS = 200

interface LinkFieldsProps {
  readonly draft: LinkDraft
  /** The link that the form began with has a passphrase, which this one does not get by itself. */
  readonly asksPassphrase?: boolean
  /** Undefined for a form that began with another link. */
  readonly preset: Preset | undefined
  readonly faults: DraftFaults
  readonly onDraft: (draft: LinkDraft) => void
  readonly onPreset: (preset: Preset) => void
}

export function LinkFields(props: LinkFieldsProps) {
  const { draft, preset, faults, onPreset } = props
  const change = (changed: Partial<LinkDraft>) => props.onDraft({ ...draft, ...changed })
  return (
    <>
      <Presets preset={preset} onPreset={onPreset} />
      <LabelField draft={draft} change={change} />
      <GuestWordsFields draft={draft} change={change} />
      <QuestionFields {...{ draft, faults, change }} />
      <ExpiryFields draft={draft} faults={faults} change={change} />
      <Limits {...{ draft, faults, change }} isOpen={props.asksPassphrase === true} />
    </>
  )
}

type WordsProps = Pick<CapFieldsProps, 'draft' | 'change'>

/** The owner's own name for the link. */
export function LabelField({ draft, change }: WordsProps) {
  const text = useText(linksTexts).form
  return (
    <Field label={text.label} hint={text.labelHint}>
      {(input) => (
        <input
          {...input}
          value={draft.label}
          maxLength={MAX_LABEL_CHARACTERS}
          placeholder={text.labelExample}
          autoComplete="off"
          onInput={(event) => change({ label: event.currentTarget.value })}
        />
      )}
    </Field>
  )
}

/** What guests read on their page. */
export function GuestWordsFields({ draft, change }: WordsProps) {
  const text = useText(linksTexts).form
  return (
    <>
      <Field label={text.guestTitle} hint={text.guestTitleHint}>
        {(input) => (
          <input
            {...input}
            value={draft.title}
            maxLength={MAX_LINK_TITLE_CHARACTERS.title}
            autoComplete="off"
            onInput={(event) => change({ title: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={text.guestMessage} hint={text.guestMessageHint}>
        {(input) => (
          <input
            {...input}
            value={draft.message}
            maxLength={MAX_LINK_TITLE_CHARACTERS.message}
            autoComplete="off"
            onInput={(event) => change({ message: event.currentTarget.value })}
          />
        )}
      </Field>
      <Field label={text.guestFrom} hint={text.guestFromHint}>
        {(input) => (
          <input
            {...input}
            value={draft.from}
            maxLength={MAX_LINK_TITLE_CHARACTERS.from}
            autoComplete="off"
            onInput={(event) => change({ from: event.currentTarget.value })}
          />
        )}
      </Field>
    </>
  )
}

export function ExpiryFields({ draft, faults, change }: CapFieldsProps) {
  const text = useText(linksTexts).form
  return (
    <>
      <Field label={text.expiry}>
        {(input) => (
          <select
            {...input}
            value={draft.expiry}
            onChange={(event) => change({ expiry: expiryOf(event.currentTarget.value) })}
          >
            {EXPIRIES.map((expiry) => (
              <option key={expiry} value={expiry}>
                {text.expiries[expiry]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {draft.expiry === 'date' && (
        <Field label={text.date} fault={faultText(faults.date, text)}>
          {(input) => (
            <input
              {...input}
              type="date"
              value={draft.date}
              onInput={(event) => change({ date: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
    </>
  )
}

function Presets({ preset, onPreset }: Pick<LinkFieldsProps, 'preset' | 'onPreset'>) {
  const text = useText(linksTexts).form
  return (
    <fieldset class="field presets">
      <legend>{text.purpose}</legend>
      {(['anyone', 'one', 'standing'] as const satisfies readonly (keyof typeof PRESETS)[]).map((name) => (
        <label key={name} class="preset">
          <input type="radio" name="preset" checked={preset === name} onChange={() => onPreset(name)} />
          <span class="stack tight">
            <strong>{text.presets[name].name}</strong>
            <span class="small soft">{text.presets[name].about}</span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}

function Limits({ draft, faults, change, isOpen }: CapFieldsProps & { readonly isOpen: boolean }) {
  const text = useText(linksTexts).form
  return (
    <details class="link-fields" open={isOpen}>
      <summary>{text.limits}</summary>
      <div class="stack">
        <Check checked={draft.singleUse} onChange={(singleUse) => change({ singleUse })}>
          {text.singleUse}
        </Check>
        <CapFields draft={draft} faults={faults} change={change} />
        <NewPassphrase
          value={draft.passphrase}
          hint={text.passphraseHint}
          onInput={(passphrase) => change({ passphrase })}
        />
      </div>
    </details>
  )
}

function expiryOf(value: string): Expiry {
  return EXPIRIES.find((expiry) => expiry === value) ?? 'week'
}
