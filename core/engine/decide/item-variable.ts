/**
 * An output of one item, until the outputs of all are gathered. No expression can name it (a slash is no part of a name),
 * and lists of variables leave it out.
 */
export function itemVariable(node: string, item: number, name: string): string {
  return `${node}/${item}.${name}`
}

export const isItemVariable = (name: string): boolean => name.includes('/')
