/** Types whose work is trusted and cheap: they run in the server's process. */
export type ServerTaskType = 'noop' | 'set' | 'log' | 'fail' | 'file.write' | 'http.request'

/** Types that burn CPU or run what a user wrote: they run in a child process. */
export type ChildTaskType = 'script.javascript' | 'duckdb.query' | 'chart.render' | 'shell'
