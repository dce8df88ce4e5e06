import { JsonView } from './json-view'

const isText = (value: unknown) => typeof value === 'string' && value.includes('\n')

/** Named values: SQL, code and other multi-line text unchanged, each under its name; all others as one JSON. */
export function BindingsView({ value }: { value: { readonly [name: string]: unknown } }) {
  const texts = Object.entries(value).filter(([, each]) => isText(each))
  const rest = Object.fromEntries(Object.entries(value).filter(([, each]) => !isText(each)))
  return (
    <div className="flex flex-col gap-2">
      {Object.keys(rest).length > 0 && <JsonView value={rest} className="max-h-52" />}
      {texts.map(([name, text]) => (
        <div key={name}>
          <p className="mb-1 font-mono text-xs text-muted">{name}</p>
          <JsonView value={text} className="max-h-64" />
        </div>
      ))}
    </div>
  )
}
