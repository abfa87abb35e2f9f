import { useId } from 'preact/hooks'

interface RadioProps {
  readonly name: string
  readonly checked: boolean
  readonly onChoose: () => void
  readonly label: string
  readonly hint?: string | undefined
}

export function Radio({ name, checked, onChoose, label, hint }: RadioProps) {
  const id = useId()
  return (
    <div class="check">
      <input
        type="radio"
        id={id}
        name={name}
        checked={checked}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={onChoose}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <div id={`${id}-hint`} class="hint">
            {hint}
          </div>
        )}
      </div>
    </div>
  )
}
