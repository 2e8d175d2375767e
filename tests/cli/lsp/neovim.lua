-- SPDX-License-Identifier: MIT
-- Runs in Neovim, as a person at its keyboard would use it: takes the steps of $STEPS and writes what they showed to
-- $SAID; both are JSON. Lines count from 1, columns from 0. test_neovim.py says what must come out.
local patience = 30000

local function read(name)
  local file = assert(io.open(name))
  local text = file:read("*a")
  file:close()
  return text
end

local function wait(what, condition)
  if not vim.wait(patience, condition, 20) then
    error("waited in vain for " .. what)
  end
end

local function diagnostics(count)
  wait(count .. " diagnostics", function() return #vim.diagnostic.get(0) == count end)
  local all = {}
  for _, one in ipairs(vim.diagnostic.get(0)) do
    table.insert(all, { line = one.lnum + 1, column = one.col, message = one.message, severity = one.severity })
  end
  return all
end

local steps = {}

function steps.filetype() return vim.bo.filetype end

-- No diagnostics is what there is before the first answer, too: so an answer to another question is awaited first.
function steps.diagnostics(step)
  vim.lsp.buf_request_sync(0, "textDocument/documentSymbol", { textDocument = vim.lsp.util.make_text_document_params() }, patience)
  return diagnostics(step.count)
end

function steps.type(step)
  local line = vim.api.nvim_buf_get_lines(0, step.line - 1, step.line, true)[1]
  local from, to = line:find(step.from, 1, true)
  vim.api.nvim_buf_set_text(0, step.line - 1, from - 1, step.line - 1, to, { step.to })
  return diagnostics(step.count)
end

function steps.definition(step)
  vim.api.nvim_win_set_cursor(0, { step.line, step.column })
  local before = { vim.api.nvim_buf_get_name(0), step.line, step.column }
  local function now()
    local at = vim.api.nvim_win_get_cursor(0)
    return { vim.api.nvim_buf_get_name(0), at[1], at[2] }
  end
  vim.lsp.buf.definition()
  wait("a jump", function() return not vim.deep_equal(before, now()) end)
  local at = now()
  return { file = vim.loop.fs_realpath(at[1]), line = at[2], column = at[3] }
end

function steps.hover(step)
  vim.api.nvim_win_set_cursor(0, { step.line, step.column })
  local windows = #vim.api.nvim_list_wins()
  vim.lsp.buf.hover()
  wait("a window", function() return #vim.api.nvim_list_wins() > windows end)
  for _, window in ipairs(vim.api.nvim_list_wins()) do
    if vim.api.nvim_win_get_config(window).relative ~= "" then
      return vim.api.nvim_buf_get_lines(vim.api.nvim_win_get_buf(window), 0, -1, true)
    end
  end
end

function steps.references(step)
  vim.api.nvim_win_set_cursor(0, { step.line, step.column })
  vim.fn.setqflist({})
  vim.lsp.buf.references()
  wait("references", function() return #vim.fn.getqflist() > 0 end)
  return vim.tbl_map(function(item) return item.text end, vim.fn.getqflist())
end

local said = {}
local works, problem = pcall(function()
  wait("the server", function()
    for _, client in ipairs((vim.lsp.get_clients or vim.lsp.get_active_clients)()) do
      if client.name == "collider" and client.initialized ~= false then return true end
    end
  end)
  for _, step in ipairs(vim.fn.json_decode(read(vim.env.STEPS))) do
    table.insert(said, steps[step["do"]](step))
  end
end)
local file = assert(io.open(vim.env.SAID, "w"))
file:write(vim.fn.json_encode(works and { said = said } or { error = tostring(problem) }))
file:close()
vim.cmd("qall!")
