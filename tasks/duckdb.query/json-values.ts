import type {
  DuckDBType,
  DuckDBValue,
  DuckDBArrayValue,
  DuckDBListValue,
  DuckDBMapValue,
  DuckDBStructValue,
} from '@duckdb/node-api'
import type { Json } from '@/core/engine/event'
import { sameDigits } from '@/core/pipeline/number-text'

/**
 * A value of DuckDB as JSON. Whole numbers up to 2^53 - 1 and decimals that a double gives back with the same digits become numbers, else
 * text; NaN and infinities text; dates `YYYY-MM-DD`; timestamps ISO 8601 without zone, those with a zone in UTC with
 * `Z`; lists and arrays arrays, structs objects, maps `[{ key, value }]`; everything else (time, interval, uuid, blob, bit…) its text.
 * `type` is needed for what a value does not say itself (a timestamp's zone).
 */
export function jsonOf(value: DuckDBValue, type: DuckDBType): Json {
  if (value === null || value === undefined) return null
  if (typeof value === 'boolean' || typeof value === 'string') return value
  if (typeof value === 'number') return Number.isFinite(value) ? value : String(value)
  if (typeof value === 'bigint') return wholeNumber(value)
  if ('items' in value) return items(value as DuckDBListValue | DuckDBArrayValue, type)
  if ('entries' in value) return struct(value as DuckDBStructValue | DuckDBMapValue, type)
  const name = type.toString()
  if (name.startsWith('DECIMAL')) return decimal(value.toString())
  if (name.startsWith('TIMESTAMP')) return timestamp(value.toString(), name === 'TIMESTAMP WITH TIME ZONE')
  return value.toString()
}

/** Whether fields of an object have no name or the same one, as of `row(1, 2)`: only one of them would be left. */
export function hasUnnamedFields(type: DuckDBType): boolean {
  if ('keyType' in type && hasUnnamedFields(type.keyType)) return true
  if ('valueType' in type) return hasUnnamedFields(type.valueType)
  if (!('entryNames' in type) || !('entryTypes' in type)) return false
  const { entryNames, entryTypes } = type
  return new Set(entryNames).size < entryNames.length || entryTypes.some(hasUnnamedFields)
}

function wholeNumber(value: bigint): Json {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : value.toString()
}

function decimal(text: string): Json {
  const number = Number(text)
  return sameDigits(text, String(number)) ? number : text
}

function timestamp(text: string, zoned: boolean): Json {
  const iso = text.replace(' ', 'T')
  return zoned ? iso.replace(/\+00(:00)?$/, 'Z') : iso
}

function items(value: DuckDBListValue | DuckDBArrayValue, type: DuckDBType): Json {
  const inner = 'valueType' in type ? (type.valueType as DuckDBType) : type
  return value.items.map((item) => jsonOf(item, inner))
}

function struct(value: DuckDBStructValue | DuckDBMapValue, type: DuckDBType): Json {
  if (Array.isArray(value.entries)) {
    const key = 'keyType' in type ? (type.keyType as DuckDBType) : type
    const inner = 'valueType' in type ? (type.valueType as DuckDBType) : type
    return value.entries.map((entry: { key: DuckDBValue; value: DuckDBValue }) => ({
      key: jsonOf(entry.key, key),
      value: jsonOf(entry.value, inner),
    }))
  }
  const names = 'entryNames' in type ? (type.entryNames as readonly string[]) : []
  const types = 'entryTypes' in type ? (type.entryTypes as readonly DuckDBType[]) : []
  const entries = Object.entries(value.entries as Record<string, DuckDBValue>).map(([name, entry]) => {
    const inner = types[names.indexOf(name)]
    return [name, inner === undefined ? String(entry) : jsonOf(entry, inner)] as const
  })
  return Object.fromEntries(entries)
}
