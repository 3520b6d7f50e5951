-- Opens FILE with the configurations CONFIG..., does what STEPS (JSON) says, prints what was seen after each as JSON.
--   nvim --headless --clean -l neovim.lua FILE STEPS CONFIG...
local file, steps = arg[1], vim.json.decode(arg[2])
for position = 3, #arg do
  dofile(arg[position])
end
vim.cmd('filetype on')
vim.cmd.edit(file)
local buffer = vim.api.nvim_get_current_buf()

local function marks()
  local found = {}
  for _, mark in ipairs(vim.diagnostic.get(buffer)) do
    -- Between an edit and the answer to it a mark can lie outside the text.
    local inside, text = pcall(vim.api.nvim_buf_get_text, buffer, mark.lnum, mark.col, mark.end_lnum, mark.end_col, {})
    local shown = inside and table.concat(text, '\n') or ''
    table.insert(found, { code = mark.code, line = mark.lnum, column = mark.col, text = shown })
  end
  return found
end

local function codes()
  local found = {}
  for _, mark in ipairs(vim.diagnostic.get(buffer)) do
    table.insert(found, mark.code)
  end
  table.sort(found)
  return table.concat(found, ' ')
end

local function lines(path)
  local other = path and vim.fn.bufnr(vim.fs.joinpath(vim.fs.dirname(file), path)) or buffer
  return other > 0 and table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n') .. '\n' or vim.NIL
end

local act = {
  -- Waits until these are the codes of all marks.
  expect = function(step)
    return vim.wait(20000, function() return codes() == step.codes end, 5)
  end,
  append = function(step)
    vim.api.nvim_buf_set_lines(buffer, step.line, step.line, false, { step.text })
    return true
  end,
  delete = function(step)
    vim.api.nvim_buf_set_lines(buffer, step.line, step.line + 1, false, {})
    return true
  end,
  -- Applies the only repair with that beginning, with the cursor there.
  fix = function(step)
    vim.api.nvim_win_set_cursor(0, { step.line + 1, step.column })
    local before = vim.api.nvim_buf_get_changedtick(buffer)
    vim.lsp.buf.code_action({
      apply = true,
      filter = function(action) return vim.startswith(action.title, step.title) end,
    })
    return vim.wait(20000, function() return vim.api.nvim_buf_get_changedtick(buffer) ~= before end, 5)
  end,
  undo = function()
    vim.cmd.undo()
    return true
  end,
  write = function()
    vim.cmd.write()
    return true
  end,
  hover = function(step)
    local client = vim.lsp.get_clients({ bufnr = buffer })[1]
    local params = { textDocument = { uri = vim.uri_from_bufnr(buffer) }, position = { line = step.line, character = step.column } }
    local answer = client:request_sync('textDocument/hover', params, 20000, buffer)
    return answer and answer.result and answer.result.contents.value or vim.NIL
  end,
}

local seen = {}
for _, step in ipairs(steps) do
  local result = act[step.act](step)
  table.insert(seen, { result = result, marks = marks(), text = lines(), other = step.other and lines(step.other) or nil })
end
local client = vim.lsp.get_clients({ bufnr = buffer })[1]
io.stdout:write(vim.json.encode({ encoding = client and client.offset_encoding, seen = seen }) .. '\n')
os.exit(0, true)
