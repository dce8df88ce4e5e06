import { isCelName } from '@/core/pipeline/expression/functions'

/** Node ids that mean something else in events, expressions or code. */
const words = new Set(
  [
    'pipeline system external shared task event cron timer item index result error input output body',
    'constructor prototype true false null in as',
    // CEL
    'and or not break const continue else for function if import let loop package namespace return var void while',
    // JavaScript, strict code
    'await case catch class debugger default delete do enum export extends finally implements instanceof interface',
    'new private protected public static super switch this throw try typeof with yield',
  ]
    .join(' ')
    .split(' '),
)

/** Whether no node may have this id. */
export function isReservedId(id: string): boolean {
  return words.has(id) || isCelName(id)
}

/** What every node that has failed can be asked for, as if it were an output: `{{ extract.error.message }}`. */
export const errorVariable = 'error'

/** Words that CEL cannot read after a dot: no input, output or variable may have such a name. */
export const unreadableNames: ReadonlySet<string> = new Set(['in', 'true', 'false', 'null', '__proto__'])
